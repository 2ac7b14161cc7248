# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML;

# render(run with `scored` blocks) -> one HTML page that needs nothing from elsewhere.
# over_time(title, caption, words of x, panels) -> HTML, folded away: rates of passes as panels of
#       Report::Chart; each also has unit => of its rates; empty without points
#
# Text from a machine or a file passes through html() (Report::Escape), so it is never
# markup.
#
# The run also has
#   text => its report as text
#   pictures => HTML of what it is about, where that is not the results of tests
#   about => a sentence for previews of links, where there are none
#   standing => [sentences on where the machine stands among others], or undef
#   findings => [those of its pictures]
#   stored_as => name of the files beside the page, or undef

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max min);
use SpawnMeter::Analysis::Findings    qw(finding_of line_of warns);
use SpawnMeter::Analysis::Fingerprint ();
use SpawnMeter::Analysis::Score       qw(index_as_printed);
use SpawnMeter::Report::Chart         qw(number_scale panels rows scale time_scale);
use SpawnMeter::Report::Columns       qw(column in_words start_columns value PERCENTILES);
use SpawnMeter::Report::Escape        qw(html known prose);
use SpawnMeter::Report::HTML::Page    qw(anchor details linked page section soft table to_copy);
use SpawnMeter::Report::Text qw(has_range misprint oddities way_of_measuring remarks why_no_index);
use SpawnMeter::Report::Text::Quality qw(findings is_open word_of_mark);
use SpawnMeter::Util::Format          qw(copies duration percent rate);

our @EXPORT_OK = qw(over_time);

use constant {
    PREVIEWED => 8,     # tests
    STRIP     => 52,    # pixels of a panel of passes
};

sub render {
    my ($run) = @_;
    my $body = head($run);
    $body .= block($run, $_) for @{ $run->{scored} };
    $body .= $run->{pictures} if defined $run->{pictures};
    $body .= section('Settings and machine', facts($run)) . meaning($run);
    my $name = $run->{stored_as};
    my @files =
        defined $name ? ([ 'run file (JSON)', "$name.json" ], [ 'report as text', $name ]) : ();
    $body .= soft('Files of this run: ' . join ', ', map { linked(@{$_}) } @files) if @files;
    my $text = defined $run->{text} ? $run->{text} =~ s{\A\n+}{}r : undef;
    $body .= to_copy('The report as text: a block of Markdown, to copy', "```\n$text```\n")
        if defined $text;
    return page('SpawnMeter: ' . named($run), description($run), $body);
}

sub description {
    my ($run) = @_;
    return $run->{about} if defined $run->{about};
    my @parts;
    for my $block (@{ $run->{scored} }) {
        my @scores = map { sprintf '%s %.1f', score_title($_), $_->{score} } @{ $block->{tables} };
        my @times = map { "$_->{test} " . duration($_->{time_us}) }
            grep { defined $_->{time_us} } @{ $block->{results} };
        splice @times, PREVIEWED if @times > PREVIEWED;
        push @parts, copies($block->{copies}) . ': ' . join ', ', @scores, @times;
    }
    return @parts ? 'Time of one process, ' . join '; ', @parts : 'How fast processes are created';
}

# ---- what stands above the tables ----------------------------------------------------

sub head {
    my ($run) = @_;
    my $suite = $run->{suite} =~ /^\d/ ? "SpawnMeter $run->{suite}" : $run->{suite};
    my $system = $run->{system} || {};
    my $when = defined $run->{started} ? ', ' . gmtime($run->{started}) . ' UTC' : q{};
    my @lines = (
        join(q{, }, grep { defined } @{$system}{qw(cpu_model architecture)}),
        join(q{ }, grep { defined } @{$system}{qw(system kernel_release distribution)}),
        "$suite$when",
        defined $run->{label} ? "Label: $run->{label}" : undef,
        $run->{command}
    );
    my @cards = map {
        my $block = $_;
        map { score($_, $block->{copies}) } @{ $block->{tables} }
    } @{ $run->{scored} };
    return join q{}, '<h1>', html(named($run)), "</h1>\n",
        soft(join '<br>', map { html($_) } grep { defined && length } @lines),
        $run->{complete} ? () : warning('Incomplete', html($run->{reason})),
        @cards           ? ('<ul class="scores">', @cards, "</ul>\n") : (),
        notes($run), standing(@{ $run->{standing} || [] });
}

# The machine: its name says little, CPU and system say more
sub named {
    my ($run) = @_;
    my $system = $run->{system} || {};
    my $os = $system->{distribution} // $system->{system};
    my $what = join q{, }, grep { defined && length } $system->{cpu_model}, $os;
    return join(q{: }, grep { defined && length } $run->{host}, $what) || $run->{suite};
}

sub warning {
    my ($word, $html) = @_;
    return qq{<p class="warn"><b>$word:</b> $html</p>\n};
}

sub score_title {
    my ($table) = @_;
    return defined $table->{title} ? "$table->{title} Index Score" : 'Final score';
}

sub score {
    my ($table, $copies) = @_;
    my $under = copies($copies) . ($table->{partial} ? ', partial' : q{});
    $under .= sprintf ', %.1f to %.1f', @{$table}{qw(low high)} if has_range($table);
    return sprintf qq{<li>%s<b>%.1f</b><span class="soft">%s</span></li>\n},
        html(score_title($table)), $table->{score}, html($under);
}

# What the report says of the machine and of the quality of the results
sub notes {
    my ($run) = @_;
    my @said = (why_no_index($run), @{ ($run->{posted} || {})->{notes} || [] });
    push @said, map { misprint($_) } @{ $run->{misprints} || [] };
    my @findings = (oddities($run), findings($run), @{ $run->{findings} || [] });
    push @findings, map { finding_of(s/\s+\z//r) } grep { length } @said;
    my ($html, @others) = (q{});
    for my $finding (@findings) {
        my $words = line_of($finding);
        my ($head, $rest) = split /: /, $words, 2;
        if (warns($finding->{kind})) { $html .= warning(ucfirst lc $head, prose($rest)) }
        else                         { push @others, prose($words) }
    }
    return @others ? $html . soft(join '<br>', @others) : $html;
}

sub standing {
    my (@sentences) = @_;
    return q{} if !@sentences;
    push @sentences,
        'Machines differ in compilers, C libraries, mitigations and neighbours, too: a '
        . 'place is no verdict about a kernel';
    my @html = map { '<p>' . html($_) . ".</p>\n" } @sentences;
    return details('Among posted machines', join q{}, @html);
}

# ---- the results at one number of copies ---------------------------------------------

# Posted texts have the first three alone
my @COLUMNS = qw(result baseline index plus_minus drift_corrected drift_corrected_plus_minus best
    passes flagged note);

# What one iteration takes, in a table of its own
my @COLUMNS_OF_COSTS = (
    'cpu_us',
    map({ "${_}_us" } PERCENTILES),
    qw(faults on_parent_cpu blocked_p50_us blocked_p99_us),
    start_columns(0)
);

sub cell {
    my ($result, $name) = @_;
    return word_of_mark($result) if $name eq 'note';
    return page_faults($result) if $name eq 'faults';
    return printed_index($result) // q{-} if $name eq 'index';
    return in_words($result, $name) if column($name)->{unit} ne 'rate';
    my $rate = value($result, $name) // return q{-};
    return join q{ }, sprintf('%.1f', $rate), grep { defined && $name eq 'result' } $result->{unit};
}

sub printed_index {
    my ($result) = @_;
    return defined $result->{index} ? sprintf '%.1f', index_as_printed($result, '5') : undef;
}

# The page faults of an iteration in the program and in its children: "12 + 34"
sub page_faults {
    my ($result) = @_;
    my @faults = grep { defined } @{$result}{qw(faults_parent faults_child)};
    return @faults == 2 ? sprintf '%.0f + %.0f', @faults : q{-};
}

sub block {
    my ($run, $block) = @_;
    my @results = @{ $block->{results} };
    my $measured = grep { $_->{used} } @results;
    my $period = SpawnMeter::Report::Text::period($block);
    my @lost = map { "$_->{test}: $_->{status}: " . known($_->{reason}) } @{ $block->{lost} || [] };
    my @open = map { $_->{test} } grep { is_open($_) } @results;
    my @remarks = map { ucfirst s/\s+/ /gr } remarks($block);
    push @remarks, 'Noisy: ' . join q{, }, @open if @open;
    my @parts = (
        (map { soft(html($_)) } grep { length } $period =~ s/\n//r),
        durations(@results),
        columns('Results', \@results, $measured     ? @COLUMNS          : @COLUMNS[ 0 .. 2 ]),
        columns('One process', \@results, $measured ? @COLUMNS_OF_COSTS : ()),
        (map { soft(html($_)) } grep { length } @lost, @remarks),
        latencies(@results),
        faults(@results),
        passes($run, @results)
    );
    return section(ucfirst copies($block->{copies}), join q{}, @parts);
}

# A table of the columns that any result has; the rows of the first table link to themselves
sub columns {
    my ($title, $results, @columns) = @_;
    my @rows;
    my @known = grep {
        my $name = $_;
        grep { cell($_, $name) !~ /\A-?\z/ } @{$results}
    } @columns or return q{};
    for my $result (@{$results}) {
        my $id = anchor(@{$result}{qw(test copies)});
        my %attributes = $result->{disturbed} ? (class => 'bad') : ();
        my $name = html($result->{test});
        if ($title eq 'Results') {
            $attributes{id} = $id;
            $name = qq{<a href="#$id">} . html($result->{title}) . '</a>';
        }
        push @rows, [ \%attributes, \$name, map { cell($result, $_) } @known ];
    }
    return "<h3>$title</h3>\n"
        . table($title, [ 'Test', map { (column($_) || {})->{head} // 'Note' } @known ], \@rows);
}

# ---- what stands under the tables ----------------------------------------------------

# What the columns mean, where there are any
sub meaning {
    my ($run) = @_;
    return q{} if !@{ $run->{scored} };
    my $is_classic = ($run->{settings}{name} || q{}) eq 'classic';
    my $result = $is_classic ? 'the geometric mean without the worst third' : 'the median';
    return soft(<<"END");
Result: $result of the passes. +/-: half of the 95 % interval of their trimmed mean; other runs can
differ by more. Best: the fastest pass. CPU: of one process, parent and child. p50 to max: latency
of all processes. Blocked: time of the creating call, in which the parent does nothing else.
END
}

my %UNIT = (
    map({ $_ => ', MB' } qw(memory_total memory_available memory_swap)),
    map({ $_ => ', bytes' } qw(page_size stack_limit)),
    uptime => ', seconds',
);

# A table of the build, the settings and the facts of the machine
sub facts {
    my ($run) = @_;
    my ($system, $settings) = map { $_ || {} } @{$run}{qw(system settings)};
    my @known = sort keys %{$system};
    my %words = map { $_ => ucfirst SpawnMeter::Analysis::Fingerprint::words_of($_) } @known;
    s/^Cpu/CPU/ for values %words;
    my @rows = (
        map({ [ 'Build', $_ ] } @{ $run->{build}          || [] }),
        map({ [ 'Condition', $_ ] } @{ $run->{conditions} || [] }),
        $run->{printed} || !$run->{settings}
        ? ()
        : [ 'Measured', ucfirst way_of_measuring($settings) ],
        map { [ $words{$_} . ($UNIT{$_} || q{}), known($system->{$_}) ] } @known
    );
    return table('Settings and machine', undef, \@rows);
}

# ---- pictures, which are empty where no result has the numbers ----

sub durations {
    my (@results) = @_;
    my @timed = grep { defined $_->{time_us} } @results or return q{};
    my $scale = time_scale([ map { @{$_}{qw(time_us time_low time_high)} } @timed ], 1, 5);
    my @rows;
    for my $result (@timed) {
        my ($time, $index) = ($result->{time_us}, printed_index($result));
        my %bar = (bar => [ $scale->{low}, $time ], hollow => $result->{disturbed}, over => 1);
        $bar{range} = [ @{$result}{qw(time_low time_high)} ];
        my $text = join ', ', duration($time), map { "index $_" } grep { defined } $index;
        push @rows, { name => $result->{test}, text => $text, marks => [ \%bar ] };
    }
    return rows(
        caption => 'Time of one process: it is created, does its work, and is waited for. The line '
            . 'is the 95 % interval; hollow: disturbed.',
        scale   => $scale,
        rows    => \@rows,
        columns => [ 26, 40 ],
        words   => 'Microseconds, logarithmic; shorter is better'
    );
}

# Along x each step to the right leaves a tenth of the iterations
sub latencies {
    my (@results) = @_;
    my @known = grep { @{ $_->{curve} || [] } > 1 } @results or return q{};
    my @shares = ('0 %', '90 %', '99 %', '99.9 %', '99.99 %');
    my @series;
    for my $result (@known) {
        my @points =
            map { { x => -log(1 - $_->[0]) / log 10, y => $_->[1] } } @{ $result->{curve} };
        my %looks = (name => $result->{test}, ink => scalar @series, joined => 1, bare => 1);
        push @series, { %looks, points => \@points };
    }
    return panels(
        caption => 'Latency: this share of the processes took at most so long, up to 99.99 % where '
            . 'there are enough of them.',
        x      => scale(0, 4, ticks => [ map { [ $_, $shares[$_] ] } 0 .. 4 ]),
        words  => 'Share of the processes',
        panels => [ {
            words  => 'At most so long; lower is better',
            y      => time_scale([ map { $_->{y} } map { @{ $_->{points} } } @series ], 1),
            series => \@series,
            height => max(240, 14 * @series)
        } ],
    );
}

sub faults {
    my (@results) = @_;
    my (@rows, @sums);
    for my $result (grep { page_faults($_) ne q{-} } @results) {
        my ($parent, $child) = @{$result}{qw(faults_parent faults_child)};
        push @sums, $parent + $child;
        my @marks = ({ bar => [ 0, $parent ] }, { bar => [ $parent, $sums[-1] ], class => 'k1' });
        push @rows, { name => $result->{test}, text => page_faults($result), marks => \@marks };
    }
    return q{} if !@rows;
    return rows(
        caption => 'Page faults of one process: parent (left part) + child (right part).',
        scale   => number_scale(0, max(1, @sums)),
        rows    => \@rows,
        words   => 'Page faults; fewer is better',
    );
}

sub passes {
    my ($run, @results) = @_;
    my @known = grep { @{ $_->{rates} || [] } } @results or return q{};
    my ($words, @times) = times_of($run, @known);
    my @panels;
    for my $result (@known) {
        my ($at, $rates, $flags) = (shift @times, @{$result}{qw(rates flags)});
        my @points =
            map { { x => $at->[$_], y => $rates->[$_], hollow => $flags->[$_] } } 0 .. $#{$rates};
        my @ends = map { [ $_, 'thin' ] } grep { defined } @{$result}{qw(low high)};
        my $width = $result->{plus_minus};
        my $interval = defined $width ? '+/- ' . percent($width) : 'too few passes for an interval';
        my $series = { points => \@points, across => [ [ $result->{rate} ], @ends ] };
        push @panels,
            { words => "$result->{test}: $interval", unit => $result->{unit}, series => [$series] };
    }
    return over_time(
        'All passes over time',
        'Passes of each test. A dot is a pass, a hollow one was disturbed; the solid line is the '
            . 'median, dashed lines are the 95 % interval; more is better.',
        $words,
        @panels
    );
}

# -> (words of the axis, [where each pass ended] of each result).  The good passes stand in the run
# in the order of the result's rates
sub times_of {
    my ($run, @results) = @_;
    my %at;
    push @{ $at{"$_->{test} $_->{copies}"} }, $_->{at}
        for grep { $_->{status} eq 'ok' } @{ $run->{passes} || [] };
    my @times = map { [ grep { defined } @{ $at{"$_->{test} $_->{copies}"} || [] } ] } @results;
    return ('Seconds since the run began', @times)
        if !grep { @{ $times[$_] } != @{ $results[$_]{rates} } } 0 .. $#results;
    return ('Number of the pass', map { [ 1 .. @{ $_->{rates} } ] } @results);
}

sub over_time {
    my ($title, $caption, $words, @panels) = @_;
    my @x = map { $_->{x} } map { @{ $_->{points} } } map { @{ $_->{series} } } @panels
        or return q{};
    my $x = number_scale(min(@x), max(@x));
    for my $panel (@panels) {
        my $unit = $panel->{unit};
        my @y = map { (map({ $_->{y} } @{ $_->{points} }), map { $_->[0] } @{ $_->{across} }) }
            @{ $panel->{series} };
        my $room = (max(@y) - min(@y)) * 0.05 || max(@y) * 0.01 || 1;
        my @ends = (max(0, min(@y) - $room), max(@y) + $room);
        $panel->{y} = number_scale(@ends, sub { rate($_[0], $unit) }, 2);
        $panel->{height} = STRIP;
    }
    my $picture = panels(caption => $caption, x => $x, words => $words, panels => \@panels);
    return details($title, $picture);
}

1;
