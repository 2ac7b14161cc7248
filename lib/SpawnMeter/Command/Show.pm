# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Show;

# ./Run show: prints the reports of stored runs, of unfinished ones, and of posted reports of
# the classic suite.  ./Run export FORMAT: prints them in the formats of other tools.
#
#   run(suite) -> exit status: 1 where a line in the format of a posted report could not be
#       read, or a file of several; tables in other formats are only reported

use strict;
use warnings;
use Cwd                            ();
use SpawnMeter::Analysis::Record   qw(record);
use SpawnMeter::Analysis::Results  qw(is_of_tests judged_passes);
use SpawnMeter::Analysis::Score    qw(blocks);
use SpawnMeter::Command::Output    qw(texts print_report print_text write_or_print);
use SpawnMeter::Command::Selection qw(loaded misprinted);
use SpawnMeter::Store::Find;
use SpawnMeter::Util::Format   qw(visible visible_lines);
use SpawnMeter::Util::Terminal qw(page_columns);

my @FORMS = qw(csv html tidy);

sub run {
    my ($suite) = @_;
    my ($command, @names) = @{ $suite->{option}{names} };
    return export($suite, @names) if $command eq 'export';
    @names = 'latest' if !@names;
    return export($suite, 'json', @names) if $suite->{option}{json};
    my ($status, $shown) = (0, 0);
    my @files = map { files_of($suite, $_) } @names;
    for my $file (@files) {
        my $unread = eval { show_file($suite, $file, \$shown) };
        die $@ if !defined $unread && @files == 1;
        print {*STDERR} visible_lines("Run: $@") if !defined $unread;
        $status = 1 if $unread // 1;
    }
    return $status;
}

# Prints the runs of a file -> how many of its lines could not be read
sub show_file {
    my ($suite, $file, $shown) = @_;
    my ($runs, $unread) = loaded($suite, [$file], thorough => 1);
    for my $entry (@{$runs}) {

        # only a run among the results has a name that finds it
        my $run = $entry->{run};
        my ($path, $results) = map { Cwd::abs_path($_) // $_ } $file, $suite->{results};
        $run->{shown_as} = visible($file)
            if index($path, "$results/") != 0 && !$suite->{option}{anonymous};
        show($suite, $run, $entry->{score_by}, ${$shown}++);
    }
    return $unread;
}

# -> the files that a name stands for; none where it names published figures, which are printed
sub files_of {
    my ($suite, $name) = @_;
    my @files = eval { SpawnMeter::Store::Find::files($suite, $name) };
    my $why = $@;
    return @files if @files && ($name eq q{-} || $name =~ m{/} || -e $files[0]);
    require SpawnMeter::Catalog::Experiments;
    my $experiment = SpawnMeter::Catalog::Experiments::named($suite->{root}, $name) or die $why;
    require SpawnMeter::Command::Output::Series;
    print_text(SpawnMeter::Command::Output::Series::described($suite, $experiment));
    return;
}

# Prints a run; a tidy table of several has its head once.
sub show {
    my ($suite, $run, $score_by, $is_further) = @_;
    my $option = $suite->{option};
    $run = { %{$run}, misprints => [ misprinted($suite, $run) ] };
    my ($form) = grep { $option->{$_} } @FORMS;
    my %with = (%{$option}, $option->{markdown} ? (summary => 1) : ());
    my %file = texts(record(suite => %{$suite}, option => \%with), $run, $score_by);
    if (!defined $form) {
        my $shown = $file{q{}}->(page_columns());
        $shown = "```\n" . $shown =~ tr/`/'/r . "```\n" if $option->{markdown};
        return print_report($suite, $shown);
    }
    my $make = $file{ $form eq 'tidy' ? '.tidy.csv' : ".$form" }
        or die "--$form: this kind of run has no such form\n";
    my $text = $make->();
    $text =~ s/\A.*\n// if $is_further && $option->{tidy};
    return write_or_print(undef, $text);
}

# ---- export ----

sub export {
    my ($suite, $format, @names) = @_;
    require SpawnMeter::Report::Export;
    my @formats = SpawnMeter::Report::Export::formats();
    die "export: needs a format: @formats\n" if !defined $format;
    die "export: ./Run show --$format RUN prints that\n" if grep { $_ eq $format } @FORMS;
    die "export: unknown format '$format'; the formats are @formats\n"
        if !grep { $_ eq $format } @formats;
    my @files = map { SpawnMeter::Store::Find::files($suite, $_) } @names ? @names : 'latest';
    my ($exports, $unread) = loaded($suite, \@files, thorough => 1);
    my %times;

    for my $export (@{$exports}) {
        my $run = $export->{run};
        $export->{passes} = judged_passes($run);
        $export->{blocks} = is_of_tests($run) ? blocks($run, $export->{score_by}) : [];

        # Two runs of one name would be one in a table.
        my $time = ++$times{ $export->{name} };
        $export->{name} .= "#$time" if $time > 1;
    }
    write_or_print($suite->{option}{to}, SpawnMeter::Report::Export::render($format, @{$exports}));
    return $unread ? 1 : 0;
}

1;
