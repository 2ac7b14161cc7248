# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML;

# render(run with `scored` blocks) -> one HTML page that needs nothing from elsewhere.
# pictured(run, text, pictures, about, stored_as => as below) -> the same where nothing is scored.
#
# Text from a machine or a file passes through html() (Report::Escape), so it is never
# markup.  Scripts only sort tables; without them nothing is missing.
#
# The run also has
#   text => its report as text
#   pictures => HTML of what it is about, where that is not the results of tests
#   about => a sentence for previews of links, where there are none
#   standing => [sentences on where the machine stands among others], or undef
#   stored_as => name of the files beside the page, or undef

use strict;
use warnings;
use SpawnMeter::Analysis::Quantity     qw(periods words_of_period);
use SpawnMeter::Analysis::Score        qw(index_as_printed);
use SpawnMeter::Report::Escape         qw(html);
use SpawnMeter::Report::HTML::Facts    qw(facts);
use SpawnMeter::Report::HTML::Page     qw(links page to_copy);
use SpawnMeter::Report::HTML::Pictures qw(anchor durations faults latencies passes);
use SpawnMeter::Report::Text;
use SpawnMeter::Report::Text::Details qw(remarks);
use SpawnMeter::Report::Text::Head    qw(wrong_clock);
use SpawnMeter::Report::Text::Quality qw(busy speeds);
use SpawnMeter::Util::Format          qw(duration percent copies);

sub new { my ($class) = @_; return bless {}, $class }

sub render {
    my ($self, $run) = @_;
    my $body = head($run);
    $body .= block($run, $_) for @{ $run->{scored} };
    $body .= $run->{pictures} if defined $run->{pictures};
    $body .= facts($run) . meaning($run);
    $body .= links($run->{stored_as}, $run->{text}) if defined $run->{stored_as};
    $body .= to_copy('The report as text: a block of Markdown, to copy', fenced($run->{text}))
        if defined $run->{text};
    return page('SpawnMeter: ' . named($run), $body, description => description($run));
}

# The page of a run that is not about results of tests
sub pictured {
    my ($run, %with) = @_;
    return __PACKAGE__->new->render({ %{$run}, scored => [], %with });
}

# No line of a report begins with the fence
sub fenced { my ($text) = @_; return '```' . "\n" . ($text =~ s/\A\n+//r) . "```\n" }

sub description {
    my ($run) = @_;
    return $run->{about} if defined $run->{about};
    my @parts;
    for my $block (@{ $run->{scored} }) {
        my @timed = grep { defined $_->{time_us} } @{ $block->{results} };
        my @scores = map { sprintf '%s %.1f', score_title($_), $_->{score} } @{ $block->{tables} };
        my @times = map { "$_->{test} " . duration($_->{time_us}) } @timed;
        push @parts, copies($block->{copies}) . ': ' . join ', ', @scores, @times;
    }
    return @parts ? 'Time of one process, ' . join '; ', @parts : 'How fast processes are created';
}

# Paragraphs and lists of lines that are HTML already
sub soft { my ($html) = @_; return qq{<p class="soft">$html</p>\n} }

sub warning {
    my ($word, $html) = @_;
    return qq{<p class="warn"><b>$word:</b> $html</p>\n};
}

# ---- what stands above the tables ----------------------------------------------------

sub head {
    my ($run) = @_;
    my $suite = $run->{suite} =~ /^\d/ ? "SpawnMeter $run->{suite}" : $run->{suite};
    my $html = '<h1>' . html(named($run)) . "</h1>\n";
    my $when = defined $run->{started} ? ', ' . gmtime($run->{started}) . ' UTC' : q{};
    my $label = defined $run->{label} ? "Label: $run->{label}" : undef;
    my @lines = (machine($run->{system} || {}), "$suite$when", $label, $run->{command});
    $html .= soft(join '<br>', map { html($_) } grep { defined && length } @lines);
    $html .= warning('Incomplete', html($run->{reason})) if !$run->{complete};
    my $clock = wrong_clock($run);
    $html .= warning('Clock', html($clock)) if defined $clock;
    my @results = map { @{ $_->{results} } } @{ $run->{scored} };
    my $busy = busy('results', @results);
    $html .= warning('Busy', html("$busy.")) if length $busy;
    $html .= disturbed(grep { $_->{disturbed} && !defined $_->{busy} } @results);
    $html .= scores(@{ $run->{scored} });
    return $html . standing(@{ $run->{standing} || [] });
}

sub standing {
    my (@sentences) = @_;
    return q{} if !@sentences;
    return
          "<details><summary>Among posted machines</summary>\n"
        . join(q{}, map { '<p>' . html($_) . ".</p>\n" } @sentences)
        . soft(
              'Machines differ in compilers, C libraries, mitigations and neighbours, too: a place '
            . 'is no verdict about a kernel.')
        . "</details>\n";
}

# The machine: its name says little, CPU and system say more
sub named {
    my ($run) = @_;
    my $system = $run->{system} || {};
    my $os = defined $system->{distribution} ? $system->{distribution} : $system->{system};
    my $what = join q{, }, grep { defined && length } $system->{cpu_model}, $os;
    my $host = defined $run->{host} ? $run->{host} : q{};
    return join(q{: }, grep { length } $host, $what) || $run->{suite};
}

# Two lines about the machine; parts that are not known are left out
sub machine {
    my ($system) = @_;
    my $cpu = join q{, }, grep { defined } @{$system}{qw(cpu_model architecture)};
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release)};
    $kernel .= ", $system->{distribution}" if defined $system->{distribution};
    return ($cpu, $kernel);
}

sub disturbed {
    my (@results) = @_;
    return q{} if !@results;
    my $list = join q{, }, map { "$_->{test} (" . copies($_->{copies}) . ')' } @results;
    return warning('Disturbed',
              'over 20 % of the passes are flagged, or flagged passes count since fewer than 9 '
            . "others are left: "
            . html($list));
}

sub scores {
    my (@blocks) = @_;
    my $cards = q{};
    for my $block (@blocks) {
        $cards .= score($_, copies($block->{copies})) for @{ $block->{tables} };
    }
    return length $cards ? qq{<ul class="scores">\n$cards</ul>\n} : q{};
}

sub score_title {
    my ($table) = @_;
    return defined $table->{title} ? "$table->{title} Index Score" : 'Final score';
}

sub score {
    my ($table, $copies) = @_;
    my $title = score_title($table);
    my $under = $copies . ($table->{partial} ? ', partial' : q{});
    $under .= sprintf ', %.1f to %.1f', @{$table}{qw(low high)} if defined $table->{low};
    return sprintf qq{<li>%s<b>%.1f</b><span class="soft">%s</span></li>\n}, html($title),
        $table->{score}, html($under);
}

# ---- the results at one number of copies ---------------------------------------------

# Of a result: the text of its cell, and the value that the table is sorted by
my @COLUMNS = (
    {
        head  => 'Test',
        text  => sub { $_[0]{title} },
        value => sub { $_[0]{title} },
        link  => sub { anchor(@{ $_[0] }{qw(test copies)}) },
    },
    { head => 'Result', text => \&result_text, value => sub { $_[0]{rate} } },
    { head => 'Index', text  => \&index_text, value  => sub { $_[0]{index} } },
);

# Posted texts have no passes, and so none of these
my @COLUMNS_OF_PASSES = (
    {
        head  => '+/-',
        text  => sub { percent($_[0]{plus_minus}) },
        value => sub { $_[0]{plus_minus} }
    },
    {
        head  => 'Drift-corrected',
        text  => sub { in_unit(($_[0]{steadied} || {})->{rate}, $_[0]{unit}) },
        value => sub { ($_[0]{steadied} || {})->{rate} }
    },
    {
        head  => '+/-',
        text  => sub { percent(($_[0]{steadied} || {})->{plus_minus}) },
        value => sub { ($_[0]{steadied} || {})->{plus_minus} }
    },
    {
        head  => 'Best',
        text  => sub { in_unit($_[0]{floor}, $_[0]{unit}) },
        value => sub { $_[0]{floor} }
    },
    { head => 'Passes', text  => sub { $_[0]{passes} }, value  => sub { $_[0]{passes} } },
    { head => 'Flagged', text => sub { $_[0]{flagged} }, value => sub { $_[0]{flagged} } },
);

# What one iteration takes, in a table of its own
my @COLUMNS_OF_COSTS = (
    { head => 'CPU', text => sub { duration($_[0]{cpu_us}) }, value => sub { $_[0]{cpu_us} } },
    percentile('p50', 0),
    percentile('p90', 1),
    percentile('p99', 2),
    percentile('p99.9', 3),
    percentile('max', 4),
    {
        head  => 'Faults',
        text  => sub { page_faults($_[0]) },
        value => sub { $_[0]{faults_child} }
    },
    percentile('Blocked p50', 0, 'stall'),
    percentile('Blocked p99', 2, 'stall'),
);

# Of an iteration, in the program and in its children
sub page_faults {
    my ($result) = @_;
    my @faults = @{$result}{qw(faults_parent faults_child)};
    return grep({ !defined } @faults) ? undef : sprintf '%.0f + %.0f', @faults;
}

sub percentile {
    my ($head, $i, $of) = @_;
    my $value = sub { ($_[0]{ $of || 'latency' } || [])->[$i] };
    return { head => $head, text => sub { duration($value->($_[0])) }, value => $value };
}

sub has_period {
    my ($period, @results) = @_;
    return scalar grep { $_->{start} && $_->{start}{$period} } @results;
}

# The start-up of the target: median
sub of_start {
    my ($period) = @_;
    my $value = sub { ((($_[0]{start} || {})->{$period}) || [])->[0] };
    return {
        head  => 'Start: ' . words_of_period($period),
        text  => sub { duration($value->($_[0])) },
        value => $value,
    };
}

sub result_text {
    my ($result) = @_;
    return in_unit($result->{rate}, $result->{unit});
}

sub in_unit {
    my ($rate, $unit) = @_;
    return q{-} if !defined $rate;
    return sprintf('%.1f', $rate) . (defined $unit ? " $unit" : q{});
}

sub index_text {
    my ($result) = @_;
    return defined $result->{index} ? sprintf('%.1f', index_as_printed($result, '5')) : q{-};
}

sub block {
    my ($run, $block) = @_;
    my @results = @{ $block->{results} };
    my $html = '<h2>' . html(ucfirst copies($block->{copies})) . "</h2>\n";
    my $period = SpawnMeter::Report::Text::period($block) =~ s/\n//gr;
    $html .= soft(html($period)) if length $period;
    $html .= durations(@results) . tables(@results) . lost(@{ $block->{lost} || [] });
    my @open = grep { defined $_->{settled} && !$_->{settled} } @results;
    $html .= soft(html($_)) for quality($block);
    $html .= soft('Noisy: ' . html(join q{, }, map { $_->{test} } @open)) if @open;
    return $html . latencies(@results) . faults(@results) . passes($run, @results);
}

# The lines of the text report about drift and reference loops, and two speeds
sub quality {
    my ($block) = @_;
    my @lines = map { ucfirst } grep { length } remarks($block);
    push @lines, map { join ': ', $_->{test}, speeds($_) }
        grep { $_->{levels} } @{ $block->{results} };
    return map { s/\s+/ /gr =~ s/ \z//r } @lines;
}

sub tables {
    my (@results) = @_;
    my $measured = grep { $_->{used} } @results;
    my $html = table(\@results, @COLUMNS, $measured ? @COLUMNS_OF_PASSES : ());
    return $html if !$measured;
    my @periods = map { of_start($_) } grep { has_period($_, @results) } periods();
    my @costs = grep {
        my $column = $_;
        grep { defined $column->{value}->($_) } @results
    } @COLUMNS_OF_COSTS, @periods;
    my $test = { head => 'Test', text => sub { $_[0]{test} }, value => sub { $_[0]{test} } };
    return $html . (@costs ? "<h3>One process</h3>\n" . table(\@results, $test, @costs) : q{});
}

# A row of the first table has the anchor of its test
sub table {
    my ($results, @columns) = @_;
    my $heads = join q{}, map { '<th scope="col">' . html($_->{head}) . '</th>' } @columns;
    my $html = qq{<div class="wide"><table class="sortable">\n};
    $html .= "<thead><tr>$heads</tr></thead>\n<tbody>\n";
    for my $result (@{$results}) {
        my $class = $result->{disturbed} ? ' class="bad"' : q{};
        my $id = anchor(@{$result}{qw(test copies)});
        $class .= qq{ id="$id"} if $columns[0]{link};
        $html  .= "<tr$class>" . join(q{}, map { cell($_, $result) } @columns) . "</tr>\n";
    }
    return "$html</tbody>\n</table></div>\n";
}

sub cell {
    my ($column, $result) = @_;
    my $value = $column->{value}->($result);
    my $attribute = defined $value ? ' data-value="' . html($value) . q{"} : q{};
    my $html = html($column->{text}->($result));
    $html = '<a href="#' . $column->{link}->($result) . qq{">$html</a>} if $column->{link};
    return "<td$attribute>$html</td>";
}

sub lost {
    my (@lost) = @_;
    return q{} if !@lost;
    return '<p>' . join('<br>', map { html(lost_line($_)) } @lost) . "</p>\n";
}

sub lost_line {
    my ($lost) = @_;
    my $reason = defined $lost->{reason} ? $lost->{reason} : 'unknown';
    return "$lost->{test}: $lost->{status}: $reason";
}

# ---- what stands under the tables ----------------------------------------------------

# What the columns mean, where there are any
sub meaning {
    my ($run) = @_;
    return q{} if !@{ $run->{scored} };
    my $result =
        ($run->{protocol}{name} || q{}) eq 'classic'
        ? 'the geometric mean of the passes without the worst third'
        : 'the median of the passes';
    return soft(
        join q{ },
        "Result: $result.",
        q{+/-: half of the 95 % interval of the passes' trimmed mean; it covers drift},
        'within the run, other runs can differ by more. Best: the fastest pass. CPU: user and',
        'system time of one process, parent and child. p50 to max: latency of all processes',
        'of all passes that count. Blocked: time of the creating call, in which the parent does',
        'nothing else.'
    );
}

1;
