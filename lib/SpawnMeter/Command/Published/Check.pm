# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Published::Check;

# ./Run published --check: whether files of published experiments are valid, and the tests take
# the options of their cells.
#
#   check(suite, files or names; without any, all) -> exit status: prints a line for each valid
#       file, and to standard error file, line and what was expected for each other one

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Catalog::Published;
use SpawnMeter::Catalog::Sweeps ();
use SpawnMeter::Util::Format    qw(visible visible_lines);
use SpawnMeter::Util::Process;

our @EXPORT_OK = qw(check);

sub check {
    my ($suite, @files) = @_;
    my $root = $suite->{root};
    @files = @{ SpawnMeter::Catalog::Published::names($root) } if !@files;
    my $status = 0;
    for my $file (@files) {
        my $path = -e $file ? $file : SpawnMeter::Catalog::Published::file($root, $file);
        my $found = eval {
            my $experiment = SpawnMeter::Catalog::Published::checked($suite, $path || $file);
            check_options($suite, $path || $file, $experiment->{experiment});
            $experiment;
        };
        if (!$found) {
            $status = 1;
            print {*STDERR} 'Run: ', visible_lines($@);
            next;
        }
        print visible("$file: valid; points: $found->{cells}; claims: "),
            scalar @{ $found->{experiment}{claims} }, "\n";
    }
    return $status;
}

# Dies where a test that is built does not take the options of a cell
sub check_options {
    my ($suite, $path, $experiment) = @_;
    my %checked;
    for my $measure (map { @{ $_->{measures} } } @{ $experiment->{parts} }) {
        my $sweep = { name => $experiment->{name}, %{$measure} };
        my ($cells) = SpawnMeter::Catalog::Sweeps::cells($sweep, $suite->{catalog}{tests}, 1);
        for my $cell (@{$cells}) {
            my $problem = problem_of_options($suite, \%checked, $cell);
            next if !defined $problem;
            die "$path, line $measure->{line}: expected options of the test $cell->{name},"
                . " found: $problem\n";
        }
    }
    return;
}

sub problem_of_options {
    my ($suite, $checked, $cell) = @_;
    my @options = @{ $cell->{options} };
    my ($placed) = grep { /^@/ } @options;
    return "$placed; those of a cell are \@static, \@free, \@pinned, \@copies=N and \@count=N"
        if defined $placed;
    my @line = ("$suite->{binaries}/$cell->{program}", @options, '--help');
    return if $checked->{"@line"}++ || !-x $line[0];
    my ($status, $words) = SpawnMeter::Util::Process::output(@line);
    return if $status == 0;
    my ($problem) = $words =~ /^(?:\w+: )?(.*)/;
    return $problem;
}

1;
