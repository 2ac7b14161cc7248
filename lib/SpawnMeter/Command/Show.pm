# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Show;

# ./Run show: prints the reports of stored runs, of unfinished ones, and of posted reports of
# the classic suite.
#
#   run(suite) -> exit status: 1 where a line in the format of a posted report could not be
#       read; tables in other formats are only reported
#   report_unread(file, lines that could not be read): reports them on standard error

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Anonymous qw(anonymous);
use SpawnMeter::Analysis::Score     qw(blocks misprints);
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Command::Output    qw(texts print_report print_text write_or_print);
use SpawnMeter::Command::Selection qw(score_by printed_score_by);
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File   qw(slurp);
use SpawnMeter::Util::Format qw(bytes plain visible visible_lines);

our @EXPORT_OK = qw(report_unread);

use constant LINE_MAX => 100;    # characters of a line that is quoted in a message

my %ENDING_OF = ('.csv' => 'csv', '.html' => 'html', '.tidy.csv' => 'tidy');

sub run {
    my ($suite) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    die 'show: needs a run; name NAME.json, NAME.part (of an unfinished run), '
        . "the text of a classic report, latest, or - for standard input\n"
        if !@names;
    my $score_by = score_by($suite);
    my ($status, $shown) = (0, 0);
    for my $file (map { files_of($suite, $_) } @names) {
        my $found = eval {
            SpawnMeter::Store::RunFile::load_all($file, $suite->{catalog}{tests}, thorough => 1);
        };
        if (!$found) {
            print_text(stored_text($suite, $file) || die $@);
            next;
        }
        show($suite, $_, $score_by, $shown++) for @{ $found->{runs} };
        report_unread($file, $found->{unread});
        $status = 1 if grep { !$_->{aside} } @{ $found->{unread} };
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
    my $facts = SpawnMeter::Command::Output::Sweep::facts_here($suite);
    print_text(SpawnMeter::Command::Output::Sweep::described($suite, $experiment, $facts));
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
    $run = anonymous($run) if $option->{anonymous};
    if ($run->{printed}) {
        my $as_printed = printed_score_by($suite->{catalog}, $run);
        $score_by = $as_printed if !defined $option->{baseline};
        $run = { %{$run}, misprints => [ misprints($run, blocks($run, $as_printed)) ] };
    }
    my ($ending) = grep { $option->{ $ENDING_OF{$_} } } sort keys %ENDING_OF;
    my $only = defined $ending ? $ending : q{};
    my %form = texts({ %{$suite}, only => $only }, $run, $score_by);
    return print_report($suite, $form{q{}}) if !defined $ending;
    die "--$ENDING_OF{$ending}: this kind of run has no such form\n" if !defined $form{$ending};
    $form{$ending} =~ s/\A.*\n// if $is_further && $option->{tidy};
    return write_or_print(undef, $form{$ending});
}

sub report_unread {
    my ($file, $unread) = @_;
    for my $line (@{$unread}) {
        print {*STDERR} visible("$file, line $line->{line}: ignored: $line->{why}: "),
            bytes(plain($line->{text}, LINE_MAX)), "\n";
    }
    return;
}

1;
