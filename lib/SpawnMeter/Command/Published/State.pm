# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Published::State;

# Which experiments of ./Run published are done, so that one that was interrupted can be taken up
# again: the file published.state in the folder of the results.
#
#   taken_up(suite, facts of the machine, names) -> state { path, head, done => { name => path of
#       its run } }: of the last one, if this one is to be the same (version, kernel, CPU, --quick
#       and --max-total agree, and its files are there) and not --again
#   done(state, name, path of the run): writes it down
#   forget(state): all is done

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File   qw(slurp);
use SpawnMeter::Util::Format qw(visible);

our @EXPORT_OK = qw(taken_up done forget);

use constant NAME => 'published.state';

sub taken_up {
    my ($suite, $facts, @names) = @_;
    my $path = "$suite->{results}/" . NAME;
    my $option = $suite->{option};
    my $head = join ' | ',
        map { visible(defined $_ ? $_ : q{-}) } "SpawnMeter $suite->{version}",
        @{$facts}{qw(kernel_release cpu_model cpus_usable)},
        $option->{quick} ? 'quick' : undef, $option->{'max-total'};
    my %done = $option->{again} ? () : stored($path, $head);
    my %wanted = map { $_ => 1 } @names;
    delete @done{ grep { !$wanted{$_} } keys %done };
    my $n = keys %done;
    print {*STDERR} "Taking up the last ./Run published: $n of "
        . @names
        . " experiments are done (--again measures them anew)\n"
        if $n && !$option->{quiet};
    return { path => $path, head => $head, done => \%done };
}

sub stored {
    my ($path, $head) = @_;
    my $text = slurp($path);
    return if !defined $text;
    my ($first, @lines) = split /\n/, $text;
    return if !defined $first || $first ne $head;
    my %done = map { /^([\w.-]+) (.+)\z/ ? ($1 => $2) : () } @lines;
    return map { $_ => $done{$_} } grep { -f $done{$_} } keys %done;
}

sub done {
    my ($state, $name, $path) = @_;
    $state->{done}{$name} = $path;
    my $text = join q{}, "$state->{head}\n",
        map { "$_ $state->{done}{$_}\n" } sort keys %{ $state->{done} };
    eval { SpawnMeter::Store::RunFile::write_file($state->{path}, $text); 1 }
        or print {*STDERR} 'Run: ', visible($@), "\n";
    return;
}

sub forget { my ($state) = @_; unlink $state->{path}; return }

1;
