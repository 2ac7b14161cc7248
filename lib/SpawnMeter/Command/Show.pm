# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Show;

# ./Run show: prints the reports of stored runs, of unfinished ones, and of posted reports of
# the classic suite.
#
#   run(suite) -> exit status: 1 where a line of a posted report could not be read
#   printed_score_by(suite, imported run) -> what it is scored by: the baselines that it prints
#   report_unread(file, lines that could not be read): reports them on standard error

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Anonymous qw(anonymous);
use SpawnMeter::Analysis::Results   qw(blocks misprints printed_baseline);
use SpawnMeter::Command::Output     qw(texts print_text);
use SpawnMeter::Command::Selection  qw(score_by);
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Format qw(plain visible);

our @EXPORT_OK = qw(printed_score_by report_unread);

use constant LINE_MAX => 100;    # characters of a line that is quoted in a message

sub run {
    my ($suite) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    die 'show: needs a run; name NAME.json, NAME.part (of an unfinished run), '
        . "the text of a classic report, latest, or - for standard input\n"
        if !@names;
    my $score_by = score_by($suite);
    my $status = 0;
    for my $file (map { SpawnMeter::Store::Find::files($suite, $_) } @names) {
        my $found =
            SpawnMeter::Store::RunFile::load_all($file, $suite->{catalog}{tests}, thorough => 1);
        print_text(shown($suite, $_, $score_by)) for @{ $found->{runs} };
        report_unread($file, $found->{unread});
        $status = 1 if @{ $found->{unread} };
    }
    return $status;
}

sub shown {
    my ($suite, $run, $score_by) = @_;
    my $option = $suite->{option};
    $run = anonymous($run) if $option->{anonymous};
    if ($run->{printed}) {
        $score_by = printed_score_by($suite, $run) if !defined $option->{baseline};
        $run = { %{$run}, misprints => [ misprints($run, blocks($run, $score_by)) ] };
    }
    my %form = texts($suite, $run, $score_by);
    return $form{ $option->{csv} ? '.csv' : $option->{html} ? '.html' : q{} };
}

# An imported report is scored by the baselines that it prints
sub printed_score_by {
    my ($suite, $run) = @_;
    my %set = map { $_->{title} => $_->{tests} } @{ $suite->{catalog}{categories} };
    my %all =
        map { $_->{name} => $set{ $_->{title} } || [] } @{ $run->{categories} || [] };
    return { baseline => printed_baseline($run), form => $run->{form} || '5', all => \%all };
}

sub report_unread {
    my ($file, $unread) = @_;
    for my $line (@{$unread}) {
        print {*STDERR} visible("$file, line $line->{line}: ignored: $line->{why}: "),
            plain(substr $line->{text}, 0, LINE_MAX), "\n";
    }
    return;
}

1;
