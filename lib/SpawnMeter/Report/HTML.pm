# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML;

# render(run with `scored` blocks) -> one HTML page that needs nothing from elsewhere.
# pictured(run, text, pictures, about, stored_as: as below) -> the same where nothing is scored.
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
use SpawnMeter::Report::Escape         qw(html known prose);
use SpawnMeter::Report::HTML::Page     qw(fact_table links page to_copy);
use SpawnMeter::Report::HTML::Pictures qw(anchor durations faults latencies passes);
use SpawnMeter::Report::Text           qw(remarks);
use SpawnMeter::Report::Text::Head     qw(oddities protocol);
use SpawnMeter::Report::Text::Quality  qw(at findings is_open word);
use SpawnMeter::Util::Format           qw(duration percent copies);

use constant PREVIEWED => 8;    # tests

sub render {
    my ($run) = @_;
    my $body = head($run);
    $body .= block($run, $_) for @{ $run->{scored} };
    $body .= $run->{pictures} if defined $run->{pictures};
    $body .= facts($run) . meaning($run);
    $body .= links($run->{stored_as}, $run->{text}) if defined $run->{stored_as};
    $body .= to_copy(
        'The report as text: a block of Markdown, to copy',
        "```\n" . ($run->{text} =~ s{\A\n+}{}r) . "```\n"
    ) if defined $run->{text};
    return page('SpawnMeter: ' . named($run), $body, description => description($run));
}

# The page of a run that is not about results of tests
sub pictured {
    my ($run, $text, $pictures, $about, $stored_as) = @_;
    my %with = (text => $text, pictures => $pictures, about => $about, stored_as => $stored_as);
    return render({ %{$run}, scored => [], %with });
}

# Previews of links show about a line of it
sub description {
    my ($run) = @_;
    return $run->{about} if defined $run->{about};
    my @parts;
    for my $block (@{ $run->{scored} }) {
        my @timed = grep { defined $_->{time_us} } @{ $block->{results} };
        splice @timed, PREVIEWED if @timed > PREVIEWED;
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
    $html .= scores(@{ $run->{scored} });
    return $html . notes($run) . standing(@{ $run->{standing} || [] });
}

# What the report says of the machine and of the quality of the results
sub notes {
    my ($run) = @_;
    my @lines = (oddities($run), findings($run));
    push @lines, SpawnMeter::Report::Text::why_no_index($run);
    push @lines, @{ ($run->{posted} || {})->{notes} || [] };
    push @lines, map { SpawnMeter::Report::Text::misprint($_) } @{ $run->{misprints} || [] };
    my @warnings = map { /\A([A-Z]{4,}): (.*)/s ? [ $1, $2 ] : () } grep { !/\ARESULT/ } @lines;
    my @others = map { prose(s/\s+\z//r) } grep { length && !/\A(?!RESULT)[A-Z]{4,}: / } @lines;
    return join q{}, map({ warning(ucfirst lc $_->[0], prose($_->[1])) } @warnings),
        @others ? soft(join '<br>', @others) : q{};
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

sub scores {
    my $cards = join q{}, map {
        my $copies = copies($_->{copies});
        map { score($_, $copies) } @{ $_->{tables} }
    } @_;
    return length $cards ? qq{<ul class="scores">\n$cards</ul>\n} : q{};
}

sub score_title {
    my ($table) = @_;
    return defined $table->{title} ? "$table->{title} Index Score" : 'Final score';
}

sub score {
    my ($table, $copies) = @_;
    my $under = $copies . ($table->{partial} ? ', partial' : q{});
    $under .= sprintf ', %.1f to %.1f', @{$table}{qw(low high)} if defined $table->{low};
    return sprintf qq{<li>%s<b>%.1f</b><span class="soft">%s</span></li>\n},
        html(score_title($table)),
        $table->{score}, html($under);
}

# ---- the results at one number of copies ---------------------------------------------

# [head, text of a result's cell]; - where it has none
my @COLUMNS = (
    [ Result   => sub { in_unit($_[0]{rate}, $_[0]{unit}) } ],
    [ Baseline => sub { in_unit($_[0]{baseline}) } ],
    [ Index    => sub { in_unit(defined $_[0]{index} ? index_as_printed($_[0], '5') : undef) } ],
);

# Posted texts have no passes, and so none of these.  A rate is in the unit of the result
my @COLUMNS_OF_PASSES = (
    [ '+/-'             => sub { percent($_[0]{plus_minus}) } ],
    [ 'Drift-corrected' => sub { in_unit(at($_[0], 'steadied rate')) } ],
    [ '+/-'             => sub { percent(at($_[0], 'steadied plus_minus')) } ],
    [ Best              => sub { in_unit($_[0]{floor}) } ],
    [ Passes            => sub { $_[0]{passes} } ],
    [ Flagged           => sub { $_[0]{flagged} } ],
    [ Note              => \&word ],
);

# What one iteration takes, in a table of its own
my @COLUMNS_OF_COSTS = (
    duration_of(CPU     => 'cpu_us'),
    duration_of(p50     => 'latency 0'),
    duration_of(p90     => 'latency 1'),
    duration_of(p99     => 'latency 2'),
    duration_of('p99.9' => 'latency 3'),
    duration_of(max     => 'latency 4'),
    [ Faults          => \&page_faults ],
    [ 'On parent CPU' => sub { percent($_[0]{placement}) } ],
    duration_of('Blocked p50' => 'stall 0'),
    duration_of('Blocked p99' => 'stall 2'),
    map { duration_of('Start: ' . words_of_period($_) => "start $_ 0") } periods()
);

# Of an iteration, in the program and in its children
sub page_faults {
    my ($result) = @_;
    my @faults = @{$result}{qw(faults_parent faults_child)};
    return grep({ !defined } @faults) ? q{-} : sprintf '%.0f + %.0f', @faults;
}

sub duration_of {
    my ($head, $path) = @_;
    return [ $head => sub { duration(at($_[0], $path)) } ];
}

sub in_unit {
    my ($rate, $unit) = @_;
    return q{-} if !defined $rate;
    return sprintf('%.1f', $rate) . (defined $unit ? " $unit" : q{});
}

sub block {
    my ($run, $block) = @_;
    my @results = @{ $block->{results} };
    my $html = '<h2>' . html(ucfirst copies($block->{copies})) . "</h2>\n";
    my $period = SpawnMeter::Report::Text::period($block) =~ s/\n//gr;
    $html .= soft(html($period)) if length $period;
    $html .= durations(@results) . tables(@results) . lost(@{ $block->{lost} || [] });
    my @open = grep { is_open($_) } @results;
    $html .= soft(html(ucfirst s/\s+/ /gr =~ s/ \z//r)) for grep { length } remarks($block);
    $html .= soft('Noisy: ' . html(join q{, }, map { $_->{test} } @open)) if @open;
    return $html . latencies(@results) . faults(@results) . passes($run, @results);
}

sub tables {
    my (@results) = @_;
    my $measured = grep { $_->{used} } @results;
    my @columns = grep { is_known($_, @results) } @COLUMNS, $measured ? @COLUMNS_OF_PASSES : ();
    my $html = table(\@results, \&linked_title, @columns);
    return $html if !$measured;
    my @costs = grep { is_known($_, @results) } @COLUMNS_OF_COSTS;
    return $html if !@costs;
    return "$html<h3>One process</h3>\n" . table(\@results, sub { html($_[0]{test}) }, @costs);
}

sub is_known {
    my ($column, @results) = @_;
    return scalar grep { $column->[1]->($_) !~ /\A-?\z/ } @results;
}

# With a link to its row
sub linked_title {
    my ($result) = @_;
    my $id = anchor(@{$result}{qw(test copies)});
    return qq{<a href="#$id">} . html($result->{title}) . '</a>';
}

sub table {
    my ($results, $name, @columns) = @_;
    my $heads = join q{}, map { "<th scope=\"col\">$_</th>" } 'Test',
        map { html($_->[0]) } @columns;
    my $html = qq{<div class="wide"><table class="sortable">\n};
    $html .= "<thead><tr>$heads</tr></thead>\n<tbody>\n";
    for my $result (@{$results}) {
        my $class = $result->{disturbed} ? ' class="bad"' : q{};
        $class .= ' id="' . anchor(@{$result}{qw(test copies)}) . q{"} if $name == \&linked_title;
        my @cells = ($name->($result), map { html($_->[1]->($result)) } @columns);
        $html .= "<tr$class>" . join(q{}, map { "<td>$_</td>" } @cells) . "</tr>\n";
    }
    return "$html</tbody>\n</table></div>\n";
}

sub lost {
    my @lines = map { html("$_->{test}: $_->{status}: " . known($_->{reason})) } @_;
    return @lines ? '<p>' . join('<br>', @lines) . "</p>\n" : q{};
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

# ---- settings and machine ----

# A table of the build, the settings and the facts of the machine
sub facts {
    my ($run) = @_;
    my ($system, $settings) = map { $_ || {} } @{$run}{qw(system protocol)};
    my @rows = (
        map({ [ 'Build', $_ ] } @{ $run->{build}          || [] }),
        map({ [ 'Condition', $_ ] } @{ $run->{conditions} || [] }),
        $run->{printed} || !$run->{protocol} ? () : [ 'Measured', ucfirst protocol($settings) ],
        facts_in_words($system),
    );
    return "<h2>Settings and machine</h2>\n" . fact_table(@rows);
}

# The facts of a machine (SpawnMeter::Machine::Facts) in words.
#
#   facts_in_words({ fact => value }) -> [ [ words, value ] ], in the order of WORDS; a fact
#       that is not listed there follows with its own name.  Facts that are unknown are last

my @WORDS = (
    [ cpu_model          => 'CPU' ],
    [ cpu_list           => 'Single CPUs' ],
    [ architecture       => 'Architecture' ],
    [ cpus_online        => 'CPUs online' ],
    [ cpus_usable        => 'CPUs usable' ],
    [ cpus_allowed       => 'CPUs allowed' ],
    [ numa_nodes         => 'NUMA nodes' ],
    [ smt                => 'SMT' ],
    [ governor           => 'Frequency governor' ],
    [ turbo              => 'Turbo' ],
    [ microcode          => 'Microcode' ],
    [ hypervisor         => 'Virtual machine' ],
    [ emulation          => 'Emulation' ],
    [ container          => 'Container' ],
    [ memory_total       => 'Memory, MB' ],
    [ memory_available   => 'Memory available, MB' ],
    [ memory_swap        => 'Swap, MB' ],
    [ page_size          => 'Page size, bytes' ],
    [ hugepages          => 'Transparent huge pages' ],
    [ overcommit         => 'Overcommit of memory' ],
    [ load_average       => 'Load over 1, 5 and 15 minutes' ],
    [ uptime             => 'Up, seconds' ],
    [ distribution       => 'Distribution' ],
    [ system             => 'System' ],
    [ kernel_release     => 'Kernel' ],
    [ kernel_version     => 'Kernel build' ],
    [ kernel_config      => 'Kernel configuration (SHA-256)' ],
    [ clock_source       => 'Clock source' ],
    [ aslr               => 'Address space randomization' ],
    [ mitigations        => 'Mitigations asked for' ],
    [ vulnerabilities    => 'Vulnerabilities and mitigations' ],
    [ security_modules   => 'Security modules' ],
    [ seccomp            => 'Seccomp mode' ],
    [ cgroup_version     => 'Control groups, version' ],
    [ cgroup_depth       => 'Control groups, depth' ],
    [ cgroup_cpu_quota   => 'Control group, CPUs' ],
    [ cgroup_pids_max    => 'Control group, processes' ],
    [ cgroup_memory_max  => 'Control group, memory' ],
    [ pid_namespaces     => 'PID namespaces' ],
    [ open_files_limit   => 'Limit of open files' ],
    [ stack_limit        => 'Limit of the stack, bytes' ],
    [ environment_bytes  => 'Environment, bytes' ],
    [ preload            => 'LD_PRELOAD' ],
    [ loader             => 'What changes the loader' ],
    [ program_fs         => 'File system of the programs' ],
    [ file_tests_fs      => 'File system of the file tests' ],
    [ shell_tests_locale => 'Locale of the shell tests' ],
    [ target_sha256      => 'Target true-dynamic (SHA-256)' ],
);

sub facts_in_words {
    my ($facts) = @_;
    my %words = map { @{$_} } @WORDS;
    my @names = map { $_->[0] } @WORDS;
    push @names, grep { !defined $words{$_} } sort keys %{$facts};
    my @rows =
        map { [ defined $words{$_} ? $words{$_} : ucfirst tr/_/ /r =~ s/^cpu/CPU/r, $facts->{$_} ] }
        grep { exists $facts->{$_} } @names;
    return ((grep { defined $_->[1] } @rows), grep { !defined $_->[1] } @rows);
}

1;
