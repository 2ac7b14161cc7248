# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Explain;

# What a creation costs, and where its time goes.
#
#   render(model of SpawnMeter::Analysis::CostModel) -> text of at most 78 columns: a sentence for
#       each of its findings, unless most of its points are disturbed, then the model as a table
#   conclusions(model) -> these sentences
#   explained(model) -> HTML: conclusions, the parts of a creation as stacked bars, the cost model
#       as a table
#   traced(method, [phases as Command::Trace has them]) -> HTML: the timelines of parent and child,
#       one above the other, and the phases as a table

use strict;
use warnings;
use Exporter 'import';
use List::Util                         qw(max);
use SpawnMeter::Report::Chart          qw(INKS rows);
use SpawnMeter::Report::Escape         qw(html prose);
use SpawnMeter::Report::HTML::Page     qw(simple_table);
use SpawnMeter::Report::HTML::Pictures qw(figure);
use SpawnMeter::Report::Scale          qw(time_scale);
use SpawnMeter::Util::Format           qw(duration signed_duration folded);

our @EXPORT_OK = qw(conclusions explained traced);

use constant WIDTH => 78;

# The findings that have a sentence, in the order in which they are printed
my @SENTENCES = qw(slope_of_fork largest_process flat_methods open_files mappings threads targets
    loader shapes page_faults with_exec environment launch spawners stall);

sub render {
    my ($model) = @_;
    my $text = "Conclusions\n\n" . join q{}, map { folded(q{  }, $_, WIDTH) } conclusions($model);
    $text .= <<'END';

Cost model: one process takes the base time plus the terms below it
(95 % interval; R2 of the line, where it explains anything).  none: under
5 % of the base time; unknown: the interval allows both that and more.

END
    $text .= method_table($_) for @{ $model->{methods} };
    $text .= target_table(@{ $model->{targets} });
    my @missing = @{ $model->{missing} };
    $text .= "\nSweeps that were not measured: @missing\n" if @missing;
    return $text;
}

sub conclusions {
    my ($model) = @_;
    my ($disturbed, $points) = @{$model}{qw(disturbed points)};
    return "None: $disturbed of $points points of these sweeps are DISTURBED.  Measure again on a "
        . 'quiet machine (see ./Run doctor).'
        if 2 * ($disturbed || 0) > ($points || 0);
    my @sentences = sentences($model->{findings});
    @sentences = ('These figures support no conclusion.') if !@sentences;
    push @sentences, "DISTURBED: $disturbed of $points points of these sweeps." if $disturbed;
    return @sentences;
}

sub sentences {
    my ($findings) = @_;
    return map { __PACKAGE__->can($_)->($findings->{$_}) } grep { $findings->{$_} } @SENTENCES;
}

sub method_table {
    my ($of) = @_;
    my $text = sprintf "%s\n  %-26s %9s\n", $of->{method}, 'base', duration($of->{base});
    for my $term (@{ $of->{terms} }) {
        my ($cost, $interval) = term($term);
        my $r2 = defined $term->{r2} && $term->{r2} > 0 ? sprintf('; R2 %.3f', $term->{r2}) : q{};
        $text .= sprintf "  %-26s %9s   (%s%s)\n", $term->{words}, $cost, $interval, $r2;
    }
    return $text;
}

sub term {
    my ($term) = @_;
    my $cost =
          $term->{verdict} eq 'adds' ? signed_duration($term->{slope})
        : $term->{verdict} eq 'none' ? 'none'
        :                              'unknown';
    my @ends = map { signed_duration($_) } grep { defined } @{$term}{qw(low high)};
    return ($cost, @ends ? join(' to ', @ends) : 'too few passes');
}

sub target_table {
    my (@targets) = @_;
    return q{} if !@targets;
    return join q{}, "targets, by vfork and exec\n",
        map { sprintf "  %-26s %9s\n", $_->{target}, duration($_->{us}) } @targets;
}

# The label of a size, for people: 100M -> 100 MB
sub sized { my ($label) = @_; return $label =~ /^(\d+)([MG])\z/ ? "$1 ${2}B" : $label }

# ---- a sentence for each finding -----------------------------------------------------

sub slope_of_fork {
    my ($f) = @_;
    return sprintf 'fork takes %s, plus %s for each MB that the process has touched '
        . '(%s to %s): its page tables are copied, and freed at the end.',
        map { duration($_) } @{$f}{qw(base slope low high)};
}

sub largest_process {
    my ($f) = @_;
    my ($fork, $spawn, $small) = map { duration($_) } @{$f}{qw(fork posix_spawn small)};
    return
          sprintf 'In a process of %s, fork takes %s.  posix_spawn, which also runs a program, '
        . 'takes %s there and %s in a small process; fork takes %.1f times as long as '
        . 'posix_spawn in a process of %s.',
        sized($f->{size}), $fork, $spawn, $small, $f->{times}, sized($f->{size});
}

sub flat_methods {
    my ($f) = @_;
    my $methods = join ' and ', map { $_->{method} } @{$f};
    my $times = join ' and ', map { duration($_->{us}) } @{$f};
    return "$methods share the parent's memory; their times do not depend on its size: $times."
        if @{$f} > 1;
    return "$methods shares the parent's memory; its time does not depend on its size: $times.";
}

sub open_files {
    my ($f) = @_;
    my $text = sprintf '100 more open files add %s to vfork, which copies the table of open files',
        duration($f->{vfork});
    return "$text." if !$f->{clone_free};
    return "$text; clone shares the table (CLONE_FILES), and they add less than 5 % of that to it.";
}

sub mappings {
    my ($f) = @_;
    return sprintf '1,000 more mappings add %s to fork%s.', duration($f->{fork}),
        $f->{vfork_free} ? ', and less than 5 % of that to vfork' : q{};
}

sub threads {
    my ($f) = @_;
    return
        sprintf 'With 100 idle threads in the parent, fork and exec take %.1f times as long: '
        . '%s instead of %s.', $f->{times}, map { duration($_) } @{$f}{qw(with without)};
}

sub targets {
    my ($f) = @_;
    return sprintf 'The time depends on the target: a program without libc takes %s, a static '
        . 'one %s, a dynamic one %s (%.0f %% of it: loader and libc).',
        map({ duration($_) } @{$f}{qw(nolibc static dynamic)}), 100 * $f->{loader};
}

sub loader {
    my ($f) = @_;
    my ($us, $main) = map { duration($_) } @{$f}{qw(us main)};
    my $interval =
        defined $f->{low}
        ? join ' to ', map { duration($_) } @{$f}{qw(low high)}
        : 'too few passes';
    return "What the dynamic loader takes of a program's start is inconclusive: $us "
        . "($interval) of the $main from posix_spawn to main()."
        if !$f->{sure};
    return
        sprintf "The dynamic loader takes %s (%s) of a dynamic program's start: %.0f %% of "
        . 'the %s from posix_spawn to main().%s', $us, $interval, 100 * $f->{share}, $main,
        library($f->{library});
}

sub library {
    my ($line) = @_;
    return q{} if !$line;
    return sprintf '  Each library that the program needs adds %s to that (%s to %s).',
        map { duration($_) } @{$line}{qw(slope low high)};
}

my @SHAPES = (
    [ pie        => 'being position-independent' ],
    [ static_pie => 'being static and position-independent instead of static alone' ],
    [ large      => '100 MB that it does not use' ],
    [ read       => 'reading a byte of each page of 100 MB' ],
    [ script     => 'being a script by #! instead of a text after sh -c' ],
);

sub shapes {
    my ($f) = @_;
    my @parts = map { "$_->[1] " . duration($f->{ $_->[0] }) }
        grep { defined $f->{ $_->[0] } } @SHAPES;
    return 'What the shape of a program adds: ' . join('; ', @parts) . q{.};
}

sub page_faults {
    my ($f) = @_;
    return
        sprintf 'A dynamic program starts with %.0f page faults, one without libc with %.0f: '
        . '%s for each, with what else the loader does.', @{$f}{qw(many few)}, duration($f->{us});
}

sub with_exec {
    my ($f) = @_;
    return
        sprintf 'With an exec, fork takes %.0f %% longer than vfork in a small process '
        . '(%s and %s); in a large process, fork and exec take %s.', 100 * $f->{more},
        map { duration($_) } @{$f}{qw(fork vfork large)};
}

sub environment {
    my ($f) = @_;
    return sprintf '64 KB of environment, which are copied into the new program, add %s.',
        duration($f->{slope});
}

sub launch {
    my ($f) = @_;
    my $text =
          sprintf 'A launch as programs make it (two pipes that are read, file actions, '
        . 'attributes, a search in PATH) takes %s, %s (%s to %s) more than posix_spawn of the '
        . 'same program', map { duration($_) } @{$f}{qw(all us low high)};
    my @parts = map { "$_->{label} " . duration($_->{us}) } @{ $f->{parts} };
    return @parts
        ? "$text.  Its largest parts, each alone: " . join(', ', @parts) . q{.}
        : "$text.";
}

my %HELP = (
    'help'         => 'start %s times as many processes in a second as one thread',
    'no help'      => 'start no more processes in a second than one thread does: %s times as many',
    'inconclusive' => 'start %s times as many processes in a second as one thread '
        . '(inconclusive)',
);

sub spawners {
    my ($f) = @_;
    my ($threads, $processes) =
        map { sprintf '%.2f (%.2f to %.2f)', @{$_}{qw(times low high)} }
        @{$f}{qw(threads processes)};
    return
        sprintf "%d threads that create at once $HELP{ $f->{verdict} }, and "
        . '%d processes %s times.', $f->{number}, $threads, $f->{number}, $processes;
}

sub stall {
    my ($f) = @_;
    my $text = sprintf 'While fork copies the page tables, its parent stands still: %s for each GB '
        . 'that it has touched (%s to %s)', map { duration($_) } @{$f}{qw(slope low high)};
    return "$text." if !defined $f->{flat};
    return "$text; with posix_spawn for " . duration($f->{flat}) . ' at 4 MB and at 256 MB alike.';
}

# ---- pages ----

sub explained {
    my ($model) = @_;
    my $list = join q{}, map { '<li>' . prose($_) . "</li>\n" } conclusions($model);
    my $html = "<h2 id=\"conclusions\">Conclusions</h2>\n<ul>\n$list</ul>\n";
    my $parts = parts($model);
    return $html . cost_model($model) if !$parts;
    my $caption =
          'By posix_spawn, with the time stamps of the program that it starts; and by vfork with '
        . 'exec, measuring more and more of it. Medians, so the parts are approximate.';
    $html .=
        "<h2 id=\"parts\">Where the time of one process goes</h2>\n" . figure($parts, $caption);
    return $html . cost_model($model);
}

sub parts {
    my ($model) = @_;
    my ($stamps, $steps) = @{ $model->{parts} }{qw(stamps steps)};
    my @sides;
    push @sides, [ 'posix_spawn, stamped', in_a_row(@{$stamps}) ] if $stamps;
    push @sides, [ 'vfork and exec, step by step', in_a_row(@{$steps}) ] if $steps;
    return @sides ? timelines('Where the time of one process goes', @sides) : undef;
}

# Each part begins where the one before it ends
sub in_a_row {
    my (@parts) = @_;
    my $from = 0;
    return [
        map {
            my $begin = $from;
            $from += $_->{us};
            { words => $_->{words}, from => $begin, to => $from }
        } @parts
    ];
}

# [head, [ { words, from, to } ]] ... -> picture: of each the whole as one bar of many colours, and
# below it each part in its place
sub timelines {
    my ($what, @sides) = @_;
    my @all = map { @{ $_->[1] } } @sides;
    my $scale = time_scale([ map { $_->{to} } @all ], 0, 3);
    my (@rows, @alt);
    for my $side (@sides) {
        my ($head, $parts) = @{$side};
        my $total = max(map { $_->{to} } @{$parts});
        push @rows, { head => $head },
            {
            name  => 'all',
            text  => duration($total),
            marks => [ map { part($parts->[$_], $_) } 0 .. $#{$parts} ]
            },
            map { {
            name  => $parts->[$_]{words},
            text  => length_of($parts->[$_], $total),
            marks => [ part($parts->[$_], $_) ]
            } } 0 .. $#{$parts};
        push @alt, "$head: " . join ', ', map { "$_->{words} " . length_of($_, $total) } @{$parts};
    }
    return rows(
        alt     => "$what. " . join('; ', @alt),
        scale   => $scale,
        rows    => \@rows,
        columns => [ 38, 26 ],
        words   => 'Time since the call; shorter is better'
    );
}

sub part {
    my ($part, $ink) = @_;
    return {
        bar   => [ @{$part}{qw(from to)} ],
        class => 'k' . $ink % INKS,
        title => $part->{words}
    };
}

sub length_of {
    my ($part, $total) = @_;
    my $us = $part->{to} - $part->{from};
    return duration($us) . sprintf ' (%.0f %%)', 100 * $us / ($total || 1);
}

sub cost_model {
    my ($model) = @_;
    my @rows;
    for my $of (@{ $model->{methods} }) {
        push @rows, [ $of->{method}, 'base', duration($of->{base}), q{} ];
        push @rows, map { [ $of->{method}, $_->{words}, term($_) ] } @{ $of->{terms} };
    }
    push @rows,
        map { [ $_->{target}, 'as target of vfork and exec', duration($_->{us}), q{} ] }
        @{ $model->{targets} };
    my @missing = @{ $model->{missing} };
    my $missing = @missing ? html("Not measured: @missing. ") : q{};
    return
          "<h2 id=\"cost-model\">Cost model</h2>\n"
        . '<p class="soft">One process takes the base time plus these terms. none: under 5 % of '
        . "the base time; unknown: the interval allows both that and more. $missing</p>\n"
        . simple_table([ 'Method', 'Term', 'Time', '95 %' ], @rows) =~ s/sortable/sortable text/r;
}

# ---- trace ----

my %TO = (
    'call to return in the parent'           => 'returned',
    'call to first instruction in the child' => 'child',
    "call to the target's first instruction" => 'first',
    'call to main()'                         => 'main',
    'total'                                  => 'waited',
);

# [where it ends, what it is, where it begins, and how long it takes, where no phase has its end]
my @OF_CHILD = (
    [ 'child', 'until the child runs' ],
    [ 'leaves', "the child's own code", child => "the child's own time" ],
    [ 'first', 'to first instruction' ],
    [ 'entry', 'dynamic loader', first => 'dynamic loader' ],
    [ 'main', 'C library starts' ],
    [ 'waited', 'exit and wait' ],
);

sub traced {
    my ($method, $phases) = @_;
    my %p50 = map { $_->{name} => $_->{p50} } @{$phases};
    my %at = map { $TO{$_} => $p50{$_} } grep { defined $p50{$_} } keys %TO;
    for my $part (@OF_CHILD) {
        my ($end, undef, $begin, $name) = @{$part};
        $at{$end} = $at{$begin} + $p50{$name}
            if defined $name && defined $p50{$name} && defined $at{$begin};
    }
    my @rows =
        map { [ $_->{name}, map { signed_duration($_) } @{$_}{qw(p50 p90 p99)} ] } @{$phases};
    my $table = simple_table([ 'Phase', 'Median', '90 %', '99 %' ], @rows);
    my @sides = sides(\%at);
    my $picture =
        @sides
        ? figure(timelines("Timelines of one $method", @sides),
        'Parent and child from the call on, by medians; the phases overlap where both run.')
        : q{};
    return '<h2 id="phases">' . html("Time of one $method") . "</h2>\n$picture$table";
}

sub sides {
    my ($at) = @_;
    return if !defined $at->{waited};
    my @parent =
        places($at, [ returned => 'the creating call' ], [ waited => 'waits for the child' ]);
    my @child = places($at, @OF_CHILD);
    return (@parent > 1 ? [ 'Parent', \@parent ] : (), @child > 1 ? [ 'Child', \@child ] : ());
}

# Of those ends that are known; one before the end that precedes it has no length
sub places {
    my ($at, @ends) = @_;
    my ($from, @parts) = (0);
    for my $end (grep { defined $at->{ $_->[0] } } @ends) {
        my $to = max($from, $at->{ $end->[0] });
        push @parts, { words => $end->[1], from => $from, to => $to };
        $from = $to;
    }
    return @parts;
}

1;
