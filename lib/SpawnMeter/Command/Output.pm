# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Output;

# The reports of a run: makes, prints and stores them.
#
#   texts(suite, run, score_by, its blocks or its summary (ab, kernels) where these are known) ->
#       hash: '' =>
#       sub (columns of the terminal, or undef for a file) -> the text report; '.html', '.csv',
#       '.tidy.csv', '.png' and others => sub -> page, table, picture, as far as its kind has them
#   finish(plan, run, signal or undef) -> exit status: stores the run, and then all
#       that is made of it; prints the text report (with -qq, or where the plan has no_report,
#       nothing), also where it cannot be stored
#   finish_text(suite, text, page as Report::HTML has it) -> exit status: stores a text about this
#       machine below the header of a report (trace, published) as NAME and NAME.html, and prints it
#   listed(run, its blocks or undef) -> what ./Run list runs says of it, as record `listed`
#   group_text(suite, runs) -> (text: how much these equal runs differ, number of tests of which
#       that is known)
#   spread_text(suite, last run, runs of Analysis::Comparison) -> the same
#   print_report(suite, text): as print_text of Util::Terminal, with colours where the suite wants
#       them; or to the file of --to
#   report_ab(suite, run of kind ab, its summary where it is known) -> exit status: prints it in the
#       form that the options ask for
#   status_of(limit like 3%, or undef; rows, whose name says what is slower) -> exit status of
#       --fail-if-slower: 1 slower, 3 cannot tell, 0 not slower
#   write_or_print(file or undef for standard output, text): as UTF-8; dies with the file and
#       the reason

use strict;
use warnings;
use Exporter 'import';
use List::Util                     qw(min);
use SpawnMeter::Analysis::Findings qw(warning_heads);
use SpawnMeter::Analysis::Results  qw(is_of_tests results);
use SpawnMeter::Analysis::Score    qw(INDEX_NEEDS counted_too_few blocks stored_results);
use SpawnMeter::Store::ResultFiles;
use SpawnMeter::Util::Format qw(bytes copies visible visible_lines);
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Terminal qw(coloured fitted page_columns print_now print_text);

our @EXPORT_OK = qw(texts listed finish finish_text print_report print_text write_or_print SILENT
    group_text spread_text report_ab status_of);

use constant {
    USUAL_TIME => 10,    # seconds of a test in a run (--max-time)
    SILENT     => 2,     # -qq: not even the report
    IS_UNKNOWN => 3,     # exit status of --fail-if-slower
};

sub texts {
    my ($suite, $run, $score_by, $computed) = @_;
    require SpawnMeter::Report::Text;
    if ($run->{sweep}) {
        require SpawnMeter::Command::Output::Series;
        return below_head($suite, $run, SpawnMeter::Command::Output::Series::report($suite, $run));
    }
    my $kind = $run->{kind} || 'run';
    return (q{} => sub { (group_text($suite, $run))[0] })
        if $kind eq 'equals' && !is_of_tests($run);
    return texts_of_ab($suite, $run, $computed) if $kind eq 'ab';
    return texts_of_kernels($suite, $run, $computed) if $kind eq 'kernels';
    my $scored = { %{$run}, scored => $computed || blocks($run, $score_by) };
    $scored->{index_needs} = INDEX_NEEDS if counted_too_few($run);
    require SpawnMeter::Report::CSV;
    my $text = sub {
        my ($columns) = @_;
        my @here = $columns ? (columns => $columns, summary => $suite->{option}{summary}) : ();
        return SpawnMeter::Report::Text::render($scored, form_of($suite), @here);
    };
    return (
        q{}         => $text,
        '.html'     => sub { page($suite, $scored) },
        '.csv'      => sub { SpawnMeter::Report::CSV::render($scored) },
        '.tidy.csv' => sub { SpawnMeter::Report::CSV::tidy($scored) },
    );
}

sub form_of {
    my ($suite) = @_;
    return map { $_ => $suite->{option}{$_} } qw(brief verbose);
}

# -> what texts() returns, from sub (columns) -> the text below the header, sub -> page as
# Report::HTML has it, and other files
sub below_head {
    my ($suite, $run, $words, $page, @files) = @_;
    my $text = sub { SpawnMeter::Report::Text::head($run, form_of($suite)) . $words->(@_) };
    my $rendered = sub {
        require SpawnMeter::Report::HTML;
        my %page = (
            body => SpawnMeter::Report::HTML::Page::preformatted($words->() =~ s/\A-+\n//r),
            %{ $page->() }
        );
        return SpawnMeter::Report::HTML::render({ %{$run}, scored => [], page => \%page });
    };
    return (@files, q{} => $text, '.html' => $rendered);
}

# -> the page of a run, with posted machines in its picture
sub page {
    my ($suite, $scored) = @_;
    require SpawnMeter::Report::HTML;
    require SpawnMeter::Catalog::Machines;
    my %more = (text => SpawnMeter::Report::Text::render($scored, verbose => 1));
    $more{machines} = SpawnMeter::Catalog::Machines::posted($suite->{root});
    return SpawnMeter::Report::HTML::render({ %{$scored}, %more });
}

sub texts_of_ab {
    my ($suite, $run, $summary) = @_;
    require SpawnMeter::Analysis::Pairs;
    require SpawnMeter::Report::Paired;
    $summary ||= SpawnMeter::Analysis::Pairs::summary_of_ab($run);
    my $text = sub {
        my %form = (verbose => $suite->{option}{verbose}, columns => $_[0]);
        return SpawnMeter::Report::Paired::text($summary, $run, %form);
    };
    my $page = sub {
        require SpawnMeter::Report::HTML::Pair;
        return SpawnMeter::Report::HTML::Pair::ab($summary);
    };
    return below_head($suite, $run, $text, $page,
        '.csv' => sub { SpawnMeter::Report::Paired::csv($summary, $run) });
}

sub texts_of_kernels {
    my ($suite, $run, $summary) = @_;
    require SpawnMeter::Analysis::Instructions;
    require SpawnMeter::Report::Counted;
    $summary ||= SpawnMeter::Analysis::Instructions::summary($run, $suite->{root});
    return (
        q{}     => sub { SpawnMeter::Report::Counted::text($summary, $run, form_of($suite)) },
        '.html' => sub { SpawnMeter::Report::Counted::page($summary, $run) },
        '.csv'  => sub { SpawnMeter::Report::Counted::csv($summary) },
    );
}

# Comparisons are loaded only where runs are compared
sub group_text {
    my ($suite, @runs) = @_;
    require SpawnMeter::Analysis::Comparison;
    return spread_text($suite, $runs[-1],
        map { @{ SpawnMeter::Analysis::Comparison::equal_runs($_, 'run') } } @runs);
}

sub spread_text {
    my ($suite, $last, @runs) = @_;
    require SpawnMeter::Report::Verdicts;
    require SpawnMeter::Report::Text;
    my $shorter = min(1, ($last->{settings}{max_time} || 0) / USUAL_TIME || 1);
    my $spread = SpawnMeter::Analysis::Comparison::spread_of(\@runs, $shorter);
    my %more = (runs => \@runs, label => $last->{label}, usual => $shorter < 1);
    $more{reason} = $last->{reason} || 'unknown' if !$last->{complete};
    my $text = SpawnMeter::Report::Text::head($last, form_of($suite));
    $text .= SpawnMeter::Report::Verdicts::group($spread, %more);
    return ($text, scalar @{ $spread->{rows} });
}

sub finish {
    my ($plan, $run, $signal) = @_;
    my ($suite, $results, $score_by) = @{$plan}{qw(suite results score_by)};
    my $quiet = $suite->{option}{quiet} || 0;
    my $blocks = is_of_tests($run) ? eval { blocks($run, $score_by) } : undef;
    my ($stored, @wrong) = store($results, $run, $blocks);
    $run->{name} = $results->{name};

    # of another folder than the usual one only the path is found
    $run->{shown_as} = "$results->{path}.json" if $suite->{option}{output};
    $run->{shown_as} = $results->{journal}{path} if !$stored;
    my %file = eval { texts($suite, $run, $score_by, $blocks || $plan->{summary}) };
    my $text = eval { $file{q{}}->(page_columns()) };    # also where it cannot be written
    push @wrong, "the report cannot be made: $@" if !defined $text;
    my $wants_csv = $suite->{option}{csv} || lc($ENV{UB_OUTPUT_CSV} || q{}) eq 'true';
    delete @file{qw(.csv .tidy.csv)} if !$wants_csv && !$run->{sweep};
    push @wrong, write_files($results->{path}, \%file) if $stored && defined $text;
    my $printed = $quiet < SILENT && printed($plan, $text);

    my $lines = $stored ? stored_as($suite, $results->{path}, '.json', \%file) : q{};
    if    ($printed) { print_text($lines) }
    elsif (!$quiet)  { print {*STDERR} $lines }
    print {*STDERR} map { 'Run: ' . visible_lines($_) } @wrong;
    return SpawnMeter::Util::Process::status_of_signal($signal) if defined $signal;
    return !@wrong && $run->{complete} ? 0 : 1;
}

# Prints the report -> true where that was text
sub printed {
    my ($plan, $text) = @_;
    return 0 if !defined $text || $plan->{no_report};
    return $plan->{print}->() if $plan->{print};
    print_report($plan->{suite}, $text);
    return 1;
}

# -> the lines that name what was stored; they are printed below the report, never in it.  show and
# compare take the name of a run (.json), or, for another folder than the usual one, the path.
sub stored_as {
    my ($suite, $path, $ending, $file) = @_;
    my $name = $path =~ m{\A\Q$suite->{results}\E/([^/]+)\z} && length $ending ? $1 : undef;
    $name = "$path$ending" if !defined $name || $suite->{option}{output};
    my $text = 'Stored: ' . visible($name) . "\n";
    $text .= 'Page:   ' . visible("$path.html") . "\n" if defined $file->{'.html'};
    return $text;
}

# -> (true where the run is stored, messages about what is not)
sub store {
    my ($results, $run, $blocks) = @_;
    my $of_tests = $blocks ? stored_results($blocks) : undef;
    my @last = ($of_tests, scalar eval { listed($run, $blocks) });
    my $name = $results->{name};
    if (!eval { SpawnMeter::Store::ResultFiles::finish($results, @last); 1 }) {
        my ($part, $failed) = ($results->{journal}{path}, $results->{journal}->failed);
        my $what = "./Run show $part reads what was measured\n";
        $what = "the last passes are not in $part either: $failed\n" if defined $failed;
        return (0, "NOT STORED: $@", $what);
    }
    return 1 if $name eq $results->{name};
    return (1, "$name is not this run's name any more, which is stored as $results->{name}\n");
}

# -> (messages).  A file that cannot be written is taken out of the hash
sub write_files {
    my ($path, $file) = @_;
    my @wrong;
    for my $ending (sort keys %{$file}) {
        next if eval {
            my $text = $file->{$ending}->();
            SpawnMeter::Store::ResultFiles::write_file("$path$ending", $text) if defined $text;
            1;
        };
        push @wrong, $@;
        delete $file->{$ending};
    }
    return @wrong;
}

sub listed {
    my ($run, $blocks) = @_;
    my $system = $run->{system} || {};
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release)};
    my @machine = ($run->{host}, $system->{cpu_model}, $kernel, $system->{distribution});
    my @results = measured_in($run, $blocks);
    my %count = (busy => 0, disturbed => 0);
    $count{ $_->{busy} ? 'busy' : 'disturbed' }++
        for grep { $_->{busy} || $_->{disturbed} } @results;
    my @scores;

    for my $block (@{ $blocks || [] }) {
        for my $table (@{ $block->{tables} }) {
            my %of_table = map { $_ => $table->{$_} } qw(title score partial);
            push @scores, { %of_table, copies => $block->{copies} };
        }
    }
    return {
        %count,
        (map { $_ => $run->{$_} } qw(complete reason)),
        machine => join(', ', grep { defined && length } @machine),
        sweep   => $run->{sweep} && $run->{sweep}{name},
        tests   => scalar @{ $run->{tests} },
        results => scalar @results,
        scores  => \@scores,
    };
}

# -> the results that have a rate; of an A/B run its rows, which are of pairs
sub measured_in {
    my ($run, $blocks) = @_;
    my $kind = $run->{kind} || q{};
    return @{ $run->{tests} } if $kind eq 'kernels';
    return grep { defined $_->{rate} } map { @{ $_->{results} } } @{$blocks} if $blocks;
    if ($kind eq 'ab') {
        require SpawnMeter::Analysis::Pairs;
        my $summary = SpawnMeter::Analysis::Pairs::summary_of_ab($run);
        return grep { defined $_->{ratio} } @{ $summary->{rows} };
    }
    return grep { defined $_->{rate} } @{ results($run) } if !$run->{sweep};
    require SpawnMeter::Analysis::Points;
    return grep { defined $_->{rate} }
        map { values %{$_} } values %{ SpawnMeter::Analysis::Points::points($run) };
}

sub print_report {
    my ($suite, $text) = @_;
    my $to = $suite->{option}{to};
    return write_or_print($to, $text) if defined $to;
    my $fitted = fitted($text, \*STDOUT);
    return print_now($suite->{colours} ? coloured($fitted, warning_heads()) : $fitted);
}

sub write_or_print {
    my ($file, $text) = @_;
    return print_now(bytes($text)) if !defined $file;
    SpawnMeter::Store::ResultFiles::write_output($file, $text);
    return;
}

# Prints the report of an A/B run.  The stored one has a header, too.
sub report_ab {
    my ($suite, $run, $summary) = @_;
    my ($to, $limit, $quiet) = @{ $suite->{option} }{qw(to fail-if-slower quiet)};
    my ($form) = grep { $suite->{option}{$_} } qw(markdown csv json);
    require SpawnMeter::Analysis::Pairs;
    require SpawnMeter::Report::Paired;
    $summary ||= SpawnMeter::Analysis::Pairs::summary_of_ab($run);
    if (defined $form) {
        write_or_print($to, SpawnMeter::Report::Paired->can($form)->($summary, $run));
    } elsif (($quiet || 0) < SILENT) {
        my %text = texts($suite, $run, undef, $summary);
        print_report($suite, $text{q{}}->(page_columns()));
    }
    return status_of($limit, map { { %{$_}, name => 'B' } } @{ $summary->{rows} });
}

sub status_of {
    my ($limit, @rows) = @_;
    return 0 if !defined $limit;
    my $share = ($limit =~ s/%//r) / 100;
    my @slow =
        grep { $_->{verdict} eq 'slower' && ($_->{high} // $_->{ratio}) <= 1 - $share } @rows;
    for my $row (@slow) {
        my $name = defined $row->{name} ? visible($row->{name}) . ' is ' : q{};
        printf {*STDERR} "Run: %sslower by %.1f %%: %s, %s\n", $name, 100 * (1 - $row->{ratio}),
            visible($row->{test}), copies($row->{copies});
    }
    return 1 if @slow;
    @rows = grep { !$_->{unmeasured} } @rows;
    my @open =
        grep { $_->{verdict} eq 'busy' || !defined $_->{low} || $_->{low} <= 1 - $share } @rows;
    return 0 if !@open;
    printf {*STDERR} "Run: no test is called slower by %g %%, but %d of %d may be\n", 100 * $share,
        scalar @open, scalar @rows;
    return IS_UNKNOWN;
}

# ---- text ----

sub finish_text {
    my ($suite, $words, $page) = @_;
    my $quiet = $suite->{option}{quiet} || 0;
    require SpawnMeter::Measure::Session;
    require SpawnMeter::Report::Text;
    my %run = (SpawnMeter::Measure::Session::about($suite), started => time, complete => 1);
    my %file = below_head($suite, \%run, sub { $words }, sub { $page });

    # the journal only reserves the name; it and the log are removed
    my $results = eval { SpawnMeter::Store::ResultFiles::open_results($suite->{results}) };
    my @wrong = $results ? write_files($results->{path}, \%file) : $@;
    SpawnMeter::Store::ResultFiles::forget($results) if $results;
    print_text($file{q{}}->()) if $quiet < SILENT;
    print_text(stored_as($suite, $results->{path}, q{}, \%file)) if !@wrong && !$quiet;
    print {*STDERR} map { 'Run: NOT STORED: ' . visible_lines($_) } @wrong;
    return @wrong ? 1 : 0;
}

1;
