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
use List::Util                     qw(max);
use SpawnMeter::Report::Chart      qw(INKS rows time_scale);
use SpawnMeter::Report::Escape     qw(html prose);
use SpawnMeter::Report::HTML::Page qw(section soft table);
use SpawnMeter::Util::Format       qw(duration signed_duration folded);

our @EXPORT_OK = qw(conclusions explained traced);

use constant WIDTH => 78;

# The findings, in the order in which they are printed: a sentence, or a sub that makes it.  Braces
# have a field of the finding: a time, or with "x" a factor, "%" a share, "n" a number, "s" a text;
# "interval" is that of its low and high.  Brackets have what stands there if a field is true.
my @SENTENCES = (
    slope_of_fork => 'fork takes {base}, plus {slope} for each MB that the process has touched '
        . '({interval}): its page tables are copied, and freed at the end',
    largest_process => 'In a process of {size:s}B, fork takes {fork}.  posix_spawn, which also '
        . 'runs a program, takes {posix_spawn} there and {small} in a small process; fork takes '
        . '{times:x} times as long as posix_spawn in a process of {size:s}B',
    flat_methods => \&flat_methods,
    open_files   => '100 more open files add {slope} to vfork, which copies the table of open '
        . 'files[free; clone shares the table (CLONE_FILES), and they add less than 5 % of '
        . 'that to it]',
    mappings => '1,000 more mappings add {slope} to fork[free, and less than 5 % of that to '
        . 'vfork]',
    threads => 'With 100 idle threads in the parent, fork and exec take {times:x} times as long: '
        . '{with} instead of {without}',
    targets => 'The time depends on the target: a program without libc takes {nolibc}, a static '
        . 'one {static}, a dynamic one {dynamic} ({loader:%} % of it: loader and libc)',
    loader      => \&loader,
    shapes      => \&shapes,
    page_faults => 'A dynamic program starts with {many:n} page faults, one without libc with '
        . '{few:n}: {us} for each, with what else the loader does',
    with_exec => 'With an exec, fork takes {more:%} % longer than vfork in a small process '
        . '({fork} and {vfork}); in a large process, fork and exec take {large}',
    environment => '64 KB of environment, which are copied into the new program, add {slope}',
    launch      => \&launch,
    spawners    => \&spawners,
    stall => 'While fork copies the page tables, its parent stands still: {slope} for each GB '
        . 'that it has touched ({interval})[flat; with posix_spawn for {flat} at 4 MB and at '
        . '256 MB alike]',
);

sub render {
    my ($model) = @_;
    my $text = "Conclusions\n\n" . join q{}, map { folded(q{  }, $_, WIDTH) } conclusions($model);
    $text .= <<'END';

Cost model: one process takes the base time plus the terms below it
(95 % interval; R2 of the line, where it explains anything).  none: under
5 % of the base time; unknown: the interval allows both that and more.

END
    my $above = q{};
    for (cost_rows($model)) {
        my ($method, $term, $time, $interval) = @{$_};
        $text .= "$method\n" if $method ne $above;
        $text .= sprintf "  %-26s %9s%s\n", $term, $time, length $interval ? "   ($interval)" : q{};
        $above = $method;
    }
    my @missing = @{ $model->{missing} };
    return @missing ? "$text\nSweeps that were not measured: @missing\n" : $text;
}

sub conclusions {
    my ($model) = @_;
    my ($disturbed, $points) = @{$model}{qw(disturbed points)};
    return "None: $disturbed of $points points of these sweeps are DISTURBED.  Measure again on a "
        . 'quiet machine (see ./Run doctor).'
        if 2 * ($disturbed || 0) > ($points || 0);
    my %words = @SENTENCES;
    my @known = grep { $model->{findings}{$_} } map { $SENTENCES[ 2 * $_ ] } 0 .. $#SENTENCES / 2;
    my @sentences = map { sentence($words{$_}, $model->{findings}{$_}) . q{.} } @known;
    @sentences = ('These figures support no conclusion.') if !@sentences;
    push @sentences, "DISTURBED: $disturbed of $points points of these sweeps." if $disturbed;
    return @sentences;
}

# [method, term, time, interval], in words
sub cost_rows {
    my ($model) = @_;
    my @rows;
    for my $of (@{ $model->{methods} }) {
        push @rows, [ $of->{method}, 'base', duration($of->{base}), q{} ];
        push @rows, map { [ $of->{method}, $_->{words}, term($_) ] } @{ $of->{terms} };
    }
    my @targets = map { [ $_->{target}, duration($_->{us}), q{} ] } @{ $model->{targets} };
    return @rows, map { [ 'targets, by vfork and exec', @{$_} ] } @targets;
}

sub term {
    my ($term) = @_;
    my $cost =
          $term->{verdict} eq 'adds' ? signed_duration($term->{slope})
        : $term->{verdict} eq 'none' ? 'none'
        :                              'unknown';
    my $r2 = defined $term->{r2} && $term->{r2} > 0 ? sprintf('; R2 %.3f', $term->{r2}) : q{};
    return ($cost, interval($term) . $r2);
}

sub interval {
    my ($of) = @_;
    return 'too few passes' if !defined $of->{low};
    return join ' to ', map { signed_duration($_) } @{$of}{qw(low high)};
}

# ---- the sentences -------------------------------------------------------------------

sub sentence {
    my ($words, $finding) = @_;
    return ref $words ? $words->($finding) : filled($words, $finding);
}

my %WORDS = (
    'n' => sub { return sprintf '%.0f', $_[0] },
    's' => sub { return $_[0] },
    'x' => sub { return sprintf '%.1f', $_[0] },
    '%' => sub { return sprintf '%.0f', 100 * $_[0] },
);

sub filled {
    my ($words, $finding) = @_;
    my %of = (%{$finding}, interval => interval($finding));
    $words        =~ s/\[(\w+)([^]]*)\]/$of{$1} ? $2 : q{}/ge;
    $words        =~ s/\{interval\}/$of{interval}/g;
    $words        =~ s/\{(\w+):(.)\}/$WORDS{$2}->($of{$1})/ge;
    return $words =~ s/\{(\w+)\}/duration($of{$1})/ger;
}

sub flat_methods {
    my ($f) = @_;
    my $methods = join ' and ', map { $_->{method} } @{$f};
    my $times = join ' and ', map { duration($_->{us}) } @{$f};
    return "$methods: the memory of the parent is shared, and its size does not matter: $times";
}

sub loader {
    my ($f) = @_;
    my $of = '{us} ({interval}) of the {main} from posix_spawn to main()';
    return filled("What the dynamic loader takes of a program's start is inconclusive: $of", $f)
        if !$f->{sure};
    my $text = filled("The dynamic loader takes {share:%} % of a dynamic program's start: $of", $f);
    return $text if !$f->{library};
    return $text
        . filled('.  Each library that the program needs adds {slope} to that ({interval})',
        $f->{library});
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
    return 'What the shape of a program adds: ' . join '; ',
        map { "$_->[1] " . duration($f->{ $_->[0] }) } grep { defined $f->{ $_->[0] } } @SHAPES;
}

sub launch {
    my ($f) = @_;
    my $text = filled(
        'A launch as programs make it (two pipes that are read, file actions, attributes, a '
            . 'search in PATH) takes {all}, {us} ({interval}) more than posix_spawn of the same '
            . 'program',
        $f
    );
    my @parts = map { "$_->{label} " . duration($_->{us}) } @{ $f->{parts} };
    return @parts ? "$text.  Its largest parts, each alone: " . join(', ', @parts) : $text;
}

sub spawners {
    my ($f) = @_;
    my @times = map { sprintf '%.2f (%.2f to %.2f)', @{$_}{qw(times low high)} }
        @{$f}{qw(threads processes)};
    my $verdict = $f->{verdict} eq 'help' ? q{} : ": $f->{verdict}";
    return "$f->{number} threads that create at once start $times[0] times as many processes in a "
        . "second as one thread, and $f->{number} processes $times[1] times$verdict";
}

# ---- pages ----

sub explained {
    my ($model) = @_;
    my $list = join q{}, map { '<li>' . prose($_) . "</li>\n" } conclusions($model);
    my $parts = parts($model);
    my @missing = @{ $model->{missing} };
    my $missing = @missing ? html(" Not measured: @missing.") : q{};
    my $meaning = soft('One process takes the base time plus these terms. none: under 5 % of '
            . "the base time; unknown: the interval allows both that and more.$missing");
    my $table =
        table('Cost model', [ 'Method', 'Term', 'Time', '95 %' ], [ cost_rows($model) ], 'text');
    return
          section('Conclusions', "<ul>\n$list</ul>\n")
        . (defined $parts ? section('Where the time of one process goes', $parts) : q{})
        . section('Cost model', $meaning . $table);
}

sub parts {
    my ($model) = @_;
    my ($stamps, $steps) = @{ $model->{parts} }{qw(stamps steps)};
    my @sides;
    push @sides, [ 'posix_spawn, stamped', @{$stamps} ] if $stamps;
    push @sides, [ 'vfork and exec, step by step', @{$steps} ] if $steps;
    my $caption =
        'Where the time goes. By posix_spawn, with the time stamps of the program that it starts; '
        . 'and by vfork with exec, measuring more and more of it. Medians, so the parts are '
        . 'approximate.';
    return @sides ? timelines($caption, @sides) : undef;
}

# [head, { words, us } ...] ... -> picture: of each the whole as one bar of many colours, and below
# it each part in its place, which is behind the one before
sub timelines {
    my ($caption, @sides) = @_;
    my (@rows, @ends);
    for (@sides) {
        my ($head, @parts) = @{$_};
        my $end = 0;
        my @bars;
        for my $part (@parts) {
            push @bars, { bar => [ $end, $end + $part->{us} ], class => 'k' . @bars % INKS };
            $end += $part->{us};
        }
        my @texts =
            map { duration($_->{us}) . sprintf ' (%.0f %%)', 100 * $_->{us} / ($end || 1) } @parts;
        push @rows, { head => $head }, { name => 'all', text => duration($end), marks => \@bars },
            map { { name => $parts[$_]{words}, text => $texts[$_], marks => [ $bars[$_] ] } }
            0 .. $#bars;
        push @ends, map { $_->{bar}[1] } @bars;
    }
    return rows(
        caption => $caption,
        scale   => time_scale(\@ends, 0, 3),
        rows    => \@rows,
        columns => [ 38, 26 ],
        words   => 'Time since the call; shorter is better'
    );
}

# ---- trace ----

# [phase, what ends with it, true where the phase begins there and not with the call]
my %SIDES = (
    Parent => [
        [ 'call to return in the parent', 'the creating call' ],
        [ 'total', 'waits for the child' ]
    ],
    Child => [
        [ 'call to first instruction in the child', 'until the child runs' ],
        [ "the child's own time", "the child's own code", 1 ],
        [ "call to the target's first instruction", 'to first instruction' ],
        [ 'dynamic loader', 'dynamic loader', 1 ],
        [ 'call to main()', 'C library starts' ],
        [ 'total', 'exit and wait' ],
    ],
);

sub traced {
    my ($method, $phases) = @_;
    my %median = map { $_->{name} => $_->{p50} } @{$phases};
    my @sides = map { [ $_, places(\%median, @{ $SIDES{$_} }) ] } qw(Parent Child);
    @sides = grep { @{$_} > 2 } @sides;
    my $caption = "Timelines of one $method. Parent and child from the call on, by medians; the "
        . 'phases overlap where both run.';
    my $picture = defined $median{total} && @sides ? timelines($caption, @sides) : q{};
    my @rows =
        map { [ $_->{name}, map { signed_duration($_) } @{$_}{qw(p50 p90 p99)} ] } @{$phases};
    my $title = "Time of one $method";
    return section($title, $picture . table($title, [ 'Phase', 'Median', '90 %', '99 %' ], \@rows));
}

# Of those phases that are known; one that ends before the one that precedes it has no length
sub places {
    my ($median, @phases) = @_;
    my ($from, @parts) = (0);
    for (grep { defined $median->{ $_->[0] } } @phases) {
        my ($phase, $words, $begins_here) = @{$_};
        my $us = $begins_here ? $median->{$phase} : max(0, $median->{$phase} - $from);
        push @parts, { words => $words, us => $us };
        $from += $us;
    }
    return @parts;
}

1;
