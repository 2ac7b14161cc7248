# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Show;

# ./Run show: prints the reports of stored runs, of unfinished ones, and of posted reports of
# the classic suite.
#
#   run(suite) -> exit status: 1 where a line in the format of a posted report could not be
#       read, or a file of several; tables in other formats are only reported

use strict;
use warnings;
use SpawnMeter::Analysis::Score qw(blocks misprints);
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Command::Output    qw(texts print_report print_text write_or_print);
use SpawnMeter::Command::Selection qw(loaded printed_score_by);
use SpawnMeter::Store::Find;
use SpawnMeter::Util::File   qw(slurp);
use SpawnMeter::Util::Format qw(visible_lines);

my %ENDING_OF = ('.csv' => 'csv', '.html' => 'html', '.tidy.csv' => 'tidy');

sub run {
    my ($suite) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    die 'show: needs a run; name NAME.json, NAME.part (of an unfinished run), '
        . "the text of a classic report, latest, or - for standard input\n"
        if !@names;
    my ($status, $shown) = (0, 0);
    my @files = map { files_of($suite, $_) } @names;
    for my $file (@files) {
        my ($runs, $unread) = eval { loaded($suite, [$file], thorough => 1) };
        my $text = $runs ? undef : stored_text($suite, $file);
        die $@ if !$runs && !defined $text && @files == 1;
        print {*STDERR} visible_lines("Run: $@") if !$runs && !defined $text;
        print_text($text) if defined $text;
        show($suite, @{$_}{qw(run score_by)}, $shown++) for @{ $runs || [] };
        $status = 1 if $unread || !$runs && !defined $text;
    }
    return $status;
}

# The files that a name stands for; none where it is that of published figures only, which are
# printed
sub files_of {
    my ($suite, $name) = @_;
    my @files = eval { SpawnMeter::Store::Find::files($suite, $name) };
    my $why = $@;
    return @files if @files && ($name eq q{-} || $name =~ m{/} || -e $files[0]);
    my $experiment = SpawnMeter::Catalog::Experiments::named($suite->{root}, $name) or die $why;
    require SpawnMeter::Command::Output::Sweep;
    print_text(SpawnMeter::Command::Output::Sweep::described($suite, $experiment));
    return;
}

# What a command without a run has stored (trace), as it was printed; nothing if this is none
sub stored_text {
    my ($suite, $file) = @_;
    return
        if index($file, "$suite->{results}/") != 0
        || grep { $suite->{option}{$_} } values %ENDING_OF;
    local $@ = $@;
    my $text = slurp($file);
    return if !defined $text || $text !~ /\A\n=+\n   SpawnMeter [(]Version /;
    return visible_lines($text) . "\n";
}

# A tidy table of several runs has its head once
sub show {
    my ($suite, $run, $score_by, $is_further) = @_;
    my $option = $suite->{option};
    if ($run->{printed}) {
        my $as_printed = printed_score_by($suite->{catalog}, $run);
        $run = { %{$run}, misprints => [ misprints($run, blocks($run, $as_printed)) ] };
    }
    my ($ending) = grep { $option->{ $ENDING_OF{$_} } } sort keys %ENDING_OF;
    my %form = texts($suite, $run, $score_by);
    return print_report($suite, $form{q{}}) if !defined $ending;
    my $text = $form{$ending};
    die "--$ENDING_OF{$ending}: this kind of run has no such form\n" if !defined $text;
    $text = $text->() if ref $text;
    $text =~ s/\A.*\n// if $is_further && $option->{tidy};
    return write_or_print(undef, $text);
}

1;
