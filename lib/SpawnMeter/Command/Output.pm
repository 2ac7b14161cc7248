# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Output;

# The reports of a run: makes, prints and stores them.
#
#   texts(suite; stored_as => name of the files of the run, which its page links to, or undef, only
#       => the one form that is wanted besides the text, or undef for all,
#       run, score_by, its blocks where they are known) -> hash: '' => the text report,
#       '.html' => page, '.csv' => table, '.svg' and others => pictures, as far as its kind has them
#   finish(session, run, score_by, signal or undef) -> exit status: prints the text report
#       (with -qq, or where the session has no_report, nothing), also where it cannot be stored,
#       and stores all
#   group_text(suite, runs) -> (text: how much these equal runs differ, number of tests of which
#       that is known); also of machines of Analysis::Comparison
#   stored_as(suite, path of the results, { ending => text }) -> lines that say where they are
#   print_text(text): that of Util::Terminal
#   print_report(suite, text): the same, with colours where the suite wants them
#   write_or_print(file or undef for standard output, text): as UTF-8; dies with the file and
#       the reason

use strict;
use warnings;
use Exporter 'import';
use List::Util                    qw(min);
use POSIX                         ();
use SpawnMeter::Analysis::Results qw(is_of_tests);
use SpawnMeter::Analysis::Score   qw(INDEX_NEEDS counted_too_few blocks stored_results);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Measure::Build;
use SpawnMeter::Report::Text;
use SpawnMeter::Store::ResultFiles;
use SpawnMeter::Util::Format qw(bytes visible visible_lines);
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Terminal qw(coloured fitted print_now print_text);

our @EXPORT_OK = qw(
    texts finish stored_as print_report print_text write_or_print SILENT finish_text group_text
);

use constant {
    USUAL_TIME => 10,    # seconds of a test in a run (--max-time)
    SILENT     => 2,     # -qq: not even the report
};

sub texts {
    my ($suite, $run, $score_by, $blocks) = @_;
    my $kind = $run->{kind} || 'run';
    if ($run->{sweep}) {
        require SpawnMeter::Command::Output::Sweep;
        return SpawnMeter::Command::Output::Sweep::texts($suite, $run);
    }
    my %with = map { $_ => $suite->{option}{$_} } qw(brief verbose);
    return (q{} => (group_text($suite, $run))[0]) if $kind eq 'equals' && !is_of_tests($run);
    return texts_of_ab($suite, $run, SpawnMeter::Report::Text::head($run, %with)) if $kind eq 'ab';
    my $scored = {
        %{$run},
        scored      => $blocks || blocks($run, $score_by),
        index_needs => counted_too_few($run) ? INDEX_NEEDS : undef,
    };
    my $text = SpawnMeter::Report::Text::render($scored, %with);
    return (q{} => $text, page($suite, $scored, $text), tables($suite, $scored));
}

# What nobody asked for is not made: that of a run with many passes takes a while
sub wants {
    my ($suite, $ending) = @_;
    return !defined $suite->{only} || $suite->{only} eq $ending;
}

sub page {
    my ($suite, $scored, $text) = @_;
    return if !wants($suite, '.html');
    require SpawnMeter::Report::HTML;
    my $page = SpawnMeter::Report::HTML::render({
        %{$scored},
        text      => $text,
        stored_as => $suite->{stored_as},
        standing  => [ standing($suite, $scored) ],
    });
    return ('.html' => $page);
}

# Among posted machines; a file of these that does not read right is no reason to lose a report
sub standing {
    my ($suite, $scored) = @_;
    require SpawnMeter::Catalog::Machines;
    my $posted = eval { SpawnMeter::Catalog::Machines::posted($suite->{root}) } or return;
    return
        map { SpawnMeter::Catalog::Machines::sentences($scored, $_, $posted, 'posted machine') }
        @{ $scored->{scored} };
}

sub tables {
    my ($suite, $scored) = @_;
    my $wants_csv = wants_csv($suite);
    return if !$wants_csv && !$suite->{option}{tidy};
    require SpawnMeter::Report::CSV;
    return (
        '.tidy.csv' => SpawnMeter::Report::CSV::tidy($scored),
        $wants_csv ? ('.csv' => SpawnMeter::Report::CSV::render($scored)) : (),
    );
}

sub texts_of_ab {
    my ($suite, $run, $header) = @_;
    require SpawnMeter::Analysis::Pairs;
    require SpawnMeter::Report::AB;
    my $summary = SpawnMeter::Analysis::Pairs::summary($run);
    my @what = ($summary, $run, brief => $suite->{option}{brief});
    my $text = $header . SpawnMeter::Report::AB::text(@what);
    my %file = (q{} => $text);
    $file{'.csv'} = SpawnMeter::Report::AB::csv(@what) if wants_csv($suite);
    return %file if !wants($suite, '.html');
    require SpawnMeter::Report::HTML;
    require SpawnMeter::Report::HTML::Pair;
    my @page = (
        SpawnMeter::Report::HTML::Pair::ab($summary, $run),
        SpawnMeter::Report::HTML::Pair::ab_in_a_sentence($summary)
    );
    $file{'.html'} = SpawnMeter::Report::HTML::pictured($run, $text, @page, $suite->{stored_as});
    return %file;
}

# Comparisons are loaded only where runs are compared
sub group_text {
    my ($suite, @runs) = @_;
    require SpawnMeter::Analysis::Comparison;
    require SpawnMeter::Report::Compare::Text;
    my @machines = map {
        exists $_->{cells} ? $_ : @{ SpawnMeter::Analysis::Comparison::equal_runs($_, 'run') }
    } @runs;
    my $last = exists $runs[-1]{cells} ? $runs[-1]{run} : $runs[-1];
    my $shorter = min(1, ($last->{protocol}{max_time} || 0) / USUAL_TIME || 1);
    my $spread = SpawnMeter::Analysis::Comparison::spread_of(\@machines, $shorter);
    my $text = SpawnMeter::Report::Text::head($last, brief => $suite->{option}{brief});
    $text .= SpawnMeter::Report::Compare::Text::group(
        $spread,
        label  => $last->{label},
        usual  => $shorter < 1,
        reason => $last->{complete} ? undef : $last->{reason} || 'unknown'
    );
    return ($text, scalar @{ $spread->{rows} });
}

sub wants_csv {
    my ($suite) = @_;
    return $suite->{option}{csv} || lc($ENV{UB_OUTPUT_CSV} || q{}) eq 'true';
}

sub finish {
    my ($session, $run, $score_by, $signal) = @_;
    my ($suite, $results) = @{$session}{qw(suite results)};
    my $quiet = $suite->{option}{quiet} || 0;
    my ($name) = $results->{path} =~ m{([^/]+)\z};
    my $blocks = is_of_tests($run) ? blocks($run, $score_by) : undef;
    my %file = texts({ %{$suite}, stored_as => $name }, $run, $score_by, $blocks);
    my $printed = $quiet < SILENT && !$session->{no_report};
    print_report($suite, $file{q{}}) if $printed;
    my %more = $blocks ? (results => stored_results($blocks)) : ();
    my ($stored, @wrong) = store($results, { %{$run}, %more }, \%file);

    if ($stored && !$quiet) {
        my $lines = stored_as($suite, $results->{path}, \%file);
        $printed ? print_text($lines) : print {*STDERR} $lines;
    }
    print {*STDERR} map { 'Run: ' . visible_lines($_) } @wrong;
    return SpawnMeter::Util::Process::status_of_signal($signal) if defined $signal;
    return !@wrong && $run->{complete} ? 0 : 1;
}

# Below the report on the same handle, so that it never stands in it.  The name is what show and
# compare take; without the usual folder they need the path
sub stored_as {
    my ($suite, $path, $file) = @_;
    my $in_folder = $path =~ m{\A\Q$suite->{results}\E/([^/]+)\z} && !$suite->{option}{output};
    my $text = 'Stored: ' . visible($in_folder ? $1 : "$path.json") . "\n";
    $text .= 'Page:   ' . visible("$path.html") . "\n" if defined $file->{'.html'};
    return $text;
}

# -> (true where the run is stored, messages about what is not).  A file that cannot be
# written is taken out of the hash
sub store {
    my ($results, $run, $file) = @_;
    my $problem;
    return (0, not_stored($results, $@))
        if !eval { $problem = SpawnMeter::Store::ResultFiles::finish($results, $run); 1 };
    my @wrong = defined $problem ? "./Run show will not read the stored run: $problem\n" : ();
    for my $ending (sort keys %{$file}) {
        my $path = "$results->{path}$ending";
        next if eval { SpawnMeter::Store::ResultFiles::write_file($path, $file->{$ending}); 1 };
        push @wrong, $@;
        delete $file->{$ending};
    }
    return (1, @wrong);
}

sub not_stored {
    my ($results, $why) = @_;
    my $failed = $results->{journal}->failed;
    return "NOT STORED: $why",
        defined $failed
        ? "the last passes are not in $results->{path}.part either: $failed\n"
        : "./Run show $results->{path}.part reads what was measured\n";
}

sub print_report {
    my ($suite, $text) = @_;
    my $fitted = fitted($text, \*STDOUT);
    return print_now($suite->{colours} ? coloured($fitted) : $fitted);
}

sub write_or_print {
    my ($file, $text) = @_;
    return print_now(bytes($text)) if !defined $file;
    SpawnMeter::Store::ResultFiles::write_output($file, $text);
    return;
}

# ---- text ----
#
# What trace and published print: a text about this machine, below the header of a report.
#
#   finish_text(suite, text, pictures as HTML, what they are about) -> exit status: prints the text
#       below the header, and stores it as NAME and NAME.html

sub finish_text {
    my ($suite, $words, $pictures, $about) = @_;
    my $option = $suite->{option};
    my $run = head($suite);
    my $text = SpawnMeter::Report::Text::head($run, brief => $option->{brief}) . $words;
    require SpawnMeter::Report::HTML;
    my $page = SpawnMeter::Report::HTML::pictured($run, $text, $pictures, $about);
    my $quiet = $option->{quiet} || 0;
    print_text($text) if $quiet < SILENT;
    my $stored = eval { store_text($suite, $text, $page) };

    if (!defined $stored) {
        print {*STDERR} 'Run: NOT STORED: ', visible_lines($@);
        return 1;
    }
    my %file = ('.html' => $page);
    print_text(stored_as($suite, $stored, \%file)) if !$quiet;
    return 0;
}

# A run without passes: it is only a header
sub head {
    my ($suite) = @_;
    my $facts = SpawnMeter::Machine::Facts::of($suite)->facts;
    my $label = $suite->{option}{label};
    utf8::decode($label) if defined $label;
    return {
        suite    => $suite->{version},
        host     => (POSIX::uname())[1],
        command  => $suite->{command},
        label    => $label,
        system   => $facts,
        build    => [ SpawnMeter::Measure::Build::facts("$suite->{binaries}/fork") ],
        started  => time,
        complete => 1,
    };
}

# -> path without ending; the log, which reserves the name, is not kept
sub store_text {
    my ($suite, $text, $page) = @_;
    my $results = SpawnMeter::Store::ResultFiles::open_results($suite->{results});
    my $path = $results->{path};
    my %file = (q{} => $text, '.html' => $page);
    my $good = eval {
        SpawnMeter::Store::ResultFiles::write_file("$path$_", $file{$_}) for sort keys %file;
        1;
    };
    my $why = $@;
    SpawnMeter::Store::ResultFiles::forget($results);
    die $why if !$good;
    return $path;
}

1;
