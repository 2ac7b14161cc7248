# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Explain;

# What a creation costs, and where its time goes.
#
#   render(model of SpawnMeter::Analysis::CostModel) -> text of at most 78 columns: a sentence for
#       each of its findings, then the model as a table
#   explained(model) -> page of Report::HTML: the parts of a creation as stacked bars, conclusions,
#       the cost model as a table
#   traced(method, [phases as Command::Trace has them]) -> likewise: the timelines of parent and
#       child, one above the other, and the phases as a table

use strict;
use warnings;
use Exporter 'import';
use List::Util                     qw(max);
use SpawnMeter::Analysis::Findings qw(finding);
use SpawnMeter::Report::Curve      qw(between);
use SpawnMeter::Report::Chart      qw(INKS rows time_scale);
use SpawnMeter::Report::Escape     qw(html prose);
use SpawnMeter::Report::HTML::Page qw(section soft table);
use SpawnMeter::Util::Format       qw(duration folded);

our @EXPORT_OK = qw(explained traced);

use constant {
    WIDTH        => 78,
    FAR          => 10,    # times the median, above which a bar is cut
    SIDE_BY_SIDE => 4,     # terms of a table
};

my $MEANING =
      'what one process takes, and what each of these adds to that, with its 95 % interval below.  '
    . 'none: under 5 % of the base time; unknown: the interval allows both that and more.';

my $NEXT = "\nWhat another kernel, or one of its options, changes: ./Run kernels\n";

sub render {
    my ($model) = @_;
    my $text = "Conclusions\n\n" . join q{}, map { folded(q{  }, $_, WIDTH) } conclusions($model);
    $text .= "\n" . folded(q{}, "Cost model: $MEANING", WIDTH) . "\n";
    $text .= cost_table($model, @{$_}) for [ 0 .. SIDE_BY_SIDE - 1 ], [ SIDE_BY_SIDE .. 9 ];
    my @targets = map { [ $_->{target}, duration($_->{us}) ] } @{ $model->{targets} };
    $text .= SpawnMeter::Report::Curve::table([ 'vfork and exec of', 'time' ], @targets)
        if @targets;
    return $text . missing($model) . $NEXT;
}

# Of the terms with these numbers; below the first table only the methods that have one of them
sub cost_table {
    my ($model, @numbers) = @_;
    my ($heads, @rows) = costs($model);
    my $is_first = !$numbers[0];
    @numbers = grep { $heads->[$_] } @numbers;
    my @lines;
    for my $row (@rows) {
        my ($method, $base, @terms) = @{$row};
        my $has_terms = grep { ref } @terms = @terms[@numbers];
        push @lines, [ $method, $base, map { ref() ? $_->[0] : $_ } @terms ]
            if $is_first || $has_terms;
        push @lines, [ q{}, q{}, map { ref() ? $_->[1] : q{} } @terms ] if $has_terms;
    }
    my @head = (q{}, 'base', @{$heads}[@numbers]);
    return @lines ? SpawnMeter::Report::Curve::table(\@head, @lines) . "\n" : q{};
}

sub missing {
    my ($model) = @_;
    my @missing = @{ $model->{missing} };
    return @missing ? "\nSweeps that were not measured: @missing\n" : q{};
}

sub conclusions {
    my ($model) = @_;
    my ($disturbed, $points) = @{$model}{qw(disturbed points)};
    my @sentences = map { sentence($_) } @{ $model->{findings} };
    @sentences = ('These figures support no conclusion.') if !@sentences;
    my $again =
        2 * ($disturbed || 0) > ($points || 0)
        ? '; on a quiet machine (./Run doctor) intervals are narrower'
        : q{};
    push @sentences, "DISTURBED: $disturbed of $points points of these sweeps$again."
        if $disturbed;
    return @sentences;
}

# The words of each clause of a finding.  In braces: a value, which is a time where no format
# follows; low-high: the interval; or values, and what stands between them
my %CLAUSE = (
    slope_of_fork => 'fork takes {base}, plus {slope} for each MB that the process has touched '
        . '({low-high}): its page tables are copied, and freed at the end',
    largest_process => 'In a process of {size%s}B, fork takes {fork}.  posix_spawn, which also '
        . 'runs a program, takes {spawn} there and {small} in a small process; fork takes '
        . '{times%.1f} times as long as posix_spawn in a process of {size%s}B',
    flat_methods => '{methods%s}: the memory of the parent is shared, and its size does not '
        . 'matter: {us| and }',
    open_files => '100 more open files add {slope} to vfork, which copies the table of open files',
    open_files_alone =>
        '; clone shares the table (CLONE_FILES), and they add less than 5 % of that to it',
    mappings       => '1,000 more mappings add {slope} to fork',
    mappings_alone => ', and less than 5 % of that to vfork',
    threads => 'With 100 idle threads in the parent, fork and exec take {times%.1f} times as '
        . 'long: {many} instead of {few}',
    threads_library => q{.  Of fork's time for 10 threads {slope} are the C library's, which a }
        . 'bare call does not take',
    targets => 'The time depends on the target: a program without libc takes {bare}, a static one '
        . '{static}, a dynamic one {dynamic} ({share%.0f} % of it: loader and libc)',
    loader_unclear => q{What the dynamic loader takes of a program's start is inconclusive: }
        . '{time_us} ({time_low-time_high}) of the {main} from posix_spawn to main()',
    loader => q{The dynamic loader takes {share%.0f} % of a dynamic program's start: {time_us} }
        . '({time_low-time_high}) of the {main} from posix_spawn to main()',
    loader_library => '.  Each library that the program needs adds {slope} to that ({low-high})',
    shapes         => 'What the shape of a program adds: {parts|; }',
    page_faults    => 'A dynamic program starts with {many%.0f} page faults, one without libc with '
        . '{few%.0f}: {each} for each, with what else the loader does',
    with_exec => 'With an exec, fork takes {more%.0f} % longer than vfork in a small process '
        . '({fork} and {vfork}); in a large process, fork and exec take {large}',
    environment => '64 KB of environment, which are copied into the new program, add {slope}',
    launch => 'A launch as programs make it (two pipes that are read, file actions, attributes, a '
        . 'search in PATH) takes {all}, {more} ({low-high}) more than posix_spawn of the same '
        . 'program',
    launch_parts => '.  Its largest parts, each alone: {parts|, }',
    spawners     => '{number%d} threads that create at once start {ratio%.2f} ({least%.2f} to '
        . '{most%.2f}) times as many processes in a second as one thread',
    spawners_verdict   => ' ({verdict%s})',
    spawners_processes =>
        ', and {number%d} processes {ratio%.2f} ({least%.2f} to {most%.2f}) times',
    blocked => 'While fork copies the page tables, its parent stands still: {slope} for each GB '
        . 'that it has touched ({low-high})',
    blocked_spawn => '; with posix_spawn for {time_us} at 4 MB and at 256 MB alike',
);

sub sentence {
    my ($finding) = @_;
    my $text = q{};
    for (@{$finding}) {
        my ($name, $values) = @{$_};
        $text .= $CLAUSE{$name} =~ s/[{](\w+)(.*?)[}]/in_words($values, $1, $2)/ger;
    }
    return "$text.";
}

sub in_words {
    my ($values, $name, $form) = @_;
    my $value = $values->{$name};
    return duration($value) if !length $form;
    return between($value, $values->{$1}) if $form =~ /^-(.*)/;
    return join $1, map { ref() ? "$_->[0] " . duration($_->[1]) : duration($_) } @{$value}
        if $form =~ /^[|](.*)/;
    return sprintf $form, $value;    ## no critic (ProhibitFormats) -- one of %CLAUSE
}

# -> ([words of the terms], [ method, base, for each of these terms [cost, interval] or "-" ] ...);
# the C library's part of a term stands in a row of its own
sub costs {
    my ($model) = @_;
    my (@heads, %seen, @rows);
    my @terms = map { @{ $_->{terms} } } @{ $model->{methods} };
    push @heads, grep { !$seen{$_}++ } map { $_->{words} } @terms;
    for my $method (@{ $model->{methods} }) {
        my %own = map { (($_->{part} // q{}) . $_->{words}) => $_ } @{ $method->{terms} };
        push @rows, [ @{$method}{qw(method base)}, map { term($own{$_}) } @heads ];
        $rows[-1][1] = duration($rows[-1][1]);
        my ($part) = grep { defined } map { $_->{part} } @{ $method->{terms} };
        push @rows, [ "  $part", q{}, map { term($own{ $part . $_ }) } @heads ] if defined $part;
    }
    return (\@heads, @rows);
}

sub term {
    my ($term) = @_;
    return q{-} if !$term;
    my $cost = $term->{verdict} eq 'none' ? 'none' : 'unknown';
    $cost = duration($term->{slope}) if $term->{verdict} eq 'adds';
    my ($low, $high) = map { duration($_) } grep { defined } @{$term}{qw(low high)};
    return [ $cost, 'few passes' ] if !defined $low;
    my ($unit) = $high =~ /([a-z]+)\z/;
    return [ $cost, $low =~ s/\Q$unit\E\z//r . "..$high" ];
}

# ---- pages ----

sub explained {
    my ($model) = @_;
    my ($disturbed, $points) = map { $model->{$_} || 0 } qw(disturbed points);
    my @sentences = conclusions({ %{$model}, disturbed => 0 });
    my ($first) = map { $_->[0][0] =~ /_unclear\z/ ? () : sentence($_) } @{ $model->{findings} };
    my ($title) = ($first // q{}) =~ /\A(.+?)(?: [(]|[:;.](?: |\z))/s;
    my $list = join q{}, map { '<li>' . prose($_) . "</li>\n" } @sentences;
    my $meaning = soft(prose(ucfirst $MEANING . missing($model) =~ s/\n/ /gr));
    return {
        title => defined $title && 2 * $disturbed <= $points
        ? $title
        : 'What a process costs here, and why',
        about    => 'What a creation costs, and where its time goes, from sweeps of this machine.',
        picture  => parts($model) . targets($model),
        findings => [ $disturbed ? finding(disturbed => "$disturbed of $points points.") : () ],
        body     => section('Conclusions', "<ul>\n$list</ul>\n")
            . section('Cost model', $meaning . table_of_costs($model)),
    };
}

sub table_of_costs {
    my ($model) = @_;
    my ($heads, @rows) = costs($model);
    my @cells = map {
        [ map { ref() ? \join('<br>', html($_->[0]), soft_text($_->[1])) : $_ } @{$_} ]
    } @rows;
    return @cells ? table('Cost model', [ 'Method', 'Base', @{$heads} ], \@cells) : q{};
}

sub soft_text { my ($text) = @_; return '<span class="soft">' . html($text) . '</span>' }

sub parts {
    my ($model) = @_;
    my $caption =
          'Where the time of one process goes. By posix_spawn, with the time stamps of the program '
        . 'that it starts; and by vfork with exec, measuring more and more of it. Medians, so the '
        . 'parts are approximate.';
    my @ways = @{ $model->{parts} };
    return @ways ? timelines($caption, @ways) : q{};
}

sub targets {
    my ($model) = @_;
    my @targets = @{ $model->{targets} } or return q{};
    my @us = sort { $a <=> $b } map { $_->{us} } @targets;
    @us = grep { $_ <= FAR * $us[ @us / 2 ] } @us;
    my @rows = map {
        my %mark = (bar => [ 0, $_->{us} ]);
        { name => $_->{target}, text => duration($_->{us}), marks => [ \%mark ] }
    } @targets;
    my $caption = 'Time of one process that executes each of these programs. By vfork and exec; an '
        . 'arrow: the bar is longer.';
    return bars($caption, 'Time', \@us, @rows);
}

# These times, in microseconds, are the ends of bars
sub bars {
    my ($caption, $words, $times, @rows) = @_;
    my %axis = (scale => time_scale($times, 0, 3), words => "$words; shorter is better");
    return rows(caption => $caption, %axis, rows => \@rows, columns => [ 38, 26 ]);
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
    return bars($caption, 'Time since the call', \@ends, @rows);
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
        [ 'total', 'the rest of the total' ],
    ],
);

sub traced {
    my ($method, $phases) = @_;
    my %median = map { $_->{name} => $_->{p50} } @{$phases};
    my @sides = map { [ $_, places(\%median, @{ $SIDES{$_} }) ] } qw(Parent Child);
    @sides = grep { @{$_} > 2 } @sides;
    my $caption = 'Timelines of parent and child. From the call on, by medians; the phases overlap '
        . 'where both run.';
    my $about = "The phases of one $method, and the time of each";
    my $has_picture = defined $median{total} && @sides;
    my @rows = map { [ $_->{name}, map { duration($_) } @{$_}{qw(p50 p90 p99)} ] } @{$phases};
    return {
        title   => $has_picture ? "One $method takes " . duration($median{total}) : $about,
        about   => "$about: half, 90 % and 99 % took at most so long.",
        picture => $has_picture ? timelines($caption, @sides) : q{},
        body    => table($about, [qw(Phase p50 p90 p99)], \@rows),
    };
}

# The phases that are known, each from the end of the one before; one that ends earlier has no
# length
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
