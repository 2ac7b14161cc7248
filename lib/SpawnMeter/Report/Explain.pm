package SpawnMeter::Report::Explain;

# What a creation costs on this machine, and of what, from its sweeps.  Pure functions.
#
#   needed() -> names of the sweeps that the model is made of
#   text({ sweep's name => { run, analysis } }) -> the model as a table, then sentences.
#       A sentence stands only where its figures carry it.
#
# The model: microseconds of a creation = base + so much for each MB touched, for
# each 100 files, 1,000 mappings, 10 threads of the parent, and 64 KB of environment.
# Base is the median at 0; the slopes are those of SpawnMeter::Analysis::Line.

use strict;
use warnings;
use List::Util               qw(max min);
use SpawnMeter::Util::Format qw(duration);

my @METHODS = qw(fork vfork clone forkexec vforkexec posix_spawn);

# sweep, what its slope is given for, and how much of it
my @TERMS = (
    [ memory      => 'per MB touched', 1024**2 ],
    [ files       => 'per 100 files', 100 ],
    [ mappings    => 'per 1000 mappings', 1000 ],
    [ threads     => 'per 10 threads', 10 ],
    [ environment => 'per 64 KB of environment', 65_536 ],
);

sub needed {
    return (map({ $_->[0] } @TERMS), 'targets');
}

sub point {
    my ($of, $sweep, $series, $label) = @_;
    my $p = $of->{$sweep} && $of->{$sweep}{analysis}{points}{$series}{$label};
    return $p && defined $p->{time_us} ? $p : undef;
}

sub slope {
    my ($of, $term, $method) = @_;
    my ($sweep, undef, $unit) = @{$term};
    my $line = $of->{$sweep} && $of->{$sweep}{analysis}{lines}{$method} or return;
    return { %{$line}, map { $_ => $line->{$_} * $unit } qw(slope low high) };
}

# Does it grow: the interval lies above 0, and a line describes it
sub grows {
    my ($line) = @_;
    return $line && $line->{low} > 0 && defined $line->{r2} && $line->{r2} > 0.9;
}

sub signed { my ($us) = @_; return $us < 0 ? q{-} . duration(-$us) : duration($us) }

sub table {
    my ($of) = @_;
    my $text =
        "The model: a creation takes the base, and for each more of the others so much\n(95 % interval; R2 of the line); nothing: it is not set apart from 0.\n\n";
    for my $method (@METHODS) {
        my $base = point($of, 'memory', $method, '0');
        next if !$base;
        $text .= sprintf "%s\n  %-26s %9s\n", $method, 'base', duration($base->{time_us});
        for my $term (@TERMS) {
            my $line = slope($of, $term, $method) or next;
            my $shown = $line->{low} > 0 ? signed($line->{slope}) : 'nothing';
            $text .= sprintf "  %-26s %9s   (%s to %s; R2 %s)\n", $term->[1], $shown,
                map({ signed($_) } @{$line}{qw(low high)}),
                defined $line->{r2} ? sprintf('%.3f', $line->{r2}) : 'unknown';
        }
    }
    return $text . targets($of);
}

# What each target takes, and what that is more than the barest one
sub targets {
    my ($of) = @_;
    my $run = $of->{targets} or return q{};
    my $text = "targets, by vfork and exec\n";
    for my $label (@{ $run->{run}{sweep}{values} }) {
        my $p = point($of, 'targets', 'vforkexec', $label) or next;
        $text .= sprintf "  %-26s %9s\n", $label, duration($p->{time_us});
    }
    return $text;
}

# "a 1 GB process": the label of a size, for people
sub sized { my ($label) = @_; return $label =~ /^(\d+)([MG])\z/ ? "$1 ${2}B" : $label }

# Fork's slope
sub slope_of_fork {
    my ($of) = @_;
    my $line = slope($of, $TERMS[0], 'fork');
    my $base = point($of, 'memory', 'fork', '0');
    return if !grows($line) || !$base;
    return
        sprintf
        'fork takes %s, and then %s for each MB that the process has touched (%s to %s): its page tables are copied, and torn down again.',
        duration($base->{time_us}), map { duration($_) } @{$line}{qw(slope low high)};
}

# The largest process against posix_spawn
sub largest_process {
    my ($of) = @_;
    my ($label) =
        grep { point($of, 'memory', 'fork', $_) && point($of, 'memory', 'posix_spawn', $_) }
        reverse @{ $of->{memory} ? $of->{memory}{run}{sweep}{values} : [] };
    return if !defined $label || $label eq '0';
    my ($fork, $spawn, $small) = (
        point($of, 'memory', 'fork', $label),
        point($of, 'memory', 'posix_spawn', $label),
        point($of, 'memory', 'posix_spawn', '0')
    );
    return
           if !$small
        || $fork->{time_us} < 2 * $spawn->{time_us}
        || abs($spawn->{time_us} / $small->{time_us} - 1) > 0.15;
    return
        sprintf
        'A process of %s forks in %s; posix_spawn, with a program run into the bargain, takes it %s, and a small process %s: %.0f times less than the fork.',
        sized($label), map({ duration($_->{time_us}) } $fork, $spawn, $small),
        $fork->{time_us} / $spawn->{time_us};
}

# Vfork and clone are flat
sub flat_methods {
    my ($of) = @_;
    my @flat = grep {
        my $m = $_;
        my @p =
            grep { defined }
            map  { point($of, 'memory', $m, $_) }
            @{ $of->{memory} ? $of->{memory}{run}{sweep}{values} : [] };
        @p > 2 && max(map { $_->{time_us} } @p) / min(map { $_->{time_us} } @p) < 1.2
    } qw(vfork clone);
    return if !@flat;
    return sprintf '%s %s the memory, and so %s: %s at any size that was tried.',
        join(' and ', @flat), @flat > 1 ? 'share'       : 'shares',
        @flat > 1                       ? 'do not care' : 'does not care',
        join(' and ', map { duration(point($of, 'memory', $_, '0')->{time_us}) } @flat);
}

# Open files
sub open_files {
    my ($of) = @_;
    my ($vfork, $clone) = map { slope($of, $TERMS[1], $_) } qw(vfork clone);
    return if !grows($vfork) || !$clone;
    return
        sprintf '100 more open files cost vfork %s each time, since the table of them is copied%s.',
        duration($vfork->{slope}),
        abs($clone->{slope}) < 0.05 * $vfork->{slope}
        ? '; clone, which shares it by CLONE_FILES, pays nothing that can be seen'
        : q{};
}

# Mappings
sub mappings {
    my ($of) = @_;
    my ($fork, $vfork) = map { slope($of, $TERMS[2], $_) } qw(fork vfork);
    return if !grows($fork);
    return sprintf '1,000 more mappings cost fork %s%s.', duration($fork->{slope}),
        $vfork && $vfork->{low} <= 0 ? ', and vfork nothing' : q{};
}

# Threads
sub threads {
    my ($of) = @_;
    my ($few, $many) = map { point($of, 'threads', 'forkexec', $_) } 0, 100;
    return if !$few || !$many || $many->{time_us} < 1.1 * $few->{time_us};
    return
        sprintf
        '100 idle threads in the parent make fork and exec %.1f times as slow (%s, without them %s).',
        $many->{time_us} / $few->{time_us}, map { duration($_->{time_us}) } $many, $few;
}

# The ladder of targets
sub ladder {
    my ($of) = @_;
    my ($bare, $static, $dynamic) =
        map { point($of, 'targets', 'vforkexec', $_) } qw(true-nolibc true-static true-dynamic);
    return
           if !$bare
        || !$static
        || !$dynamic
        || $bare->{time_high} >= $static->{time_low}
        || $static->{time_high} >= $dynamic->{time_low};
    return
        sprintf
        'What is run costs more than how: a program without libc takes %s, a static one %s, a dynamic one %s, of which the loader and libc are %.0f %%.',
        map({ duration($_->{time_us}) } $bare, $static, $dynamic),
        100 * (1 - $bare->{time_us} / $dynamic->{time_us});
}

# Fork against vfork with exec
sub with_exec {
    my ($of) = @_;
    my ($fork, $vfork) = map { point($of, 'memory', $_, '0') } qw(forkexec vforkexec);
    my ($large) = grep { defined } map { point($of, 'memory', 'forkexec', $_) } qw(300M 100M);
    return
           if !$fork
        || !$vfork
        || $fork->{time_us} <= $vfork->{time_us}
        || !$large
        || $large->{time_us} < 1.5 * $fork->{time_us};
    return
        sprintf
        'With an exec, fork costs a small process %.0f %% more than vfork (%s and %s), and a large one many times that: %s.',
        100 * ($fork->{time_us} / $vfork->{time_us} - 1), map { duration($_->{time_us}) } $fork,
        $vfork, $large;
}

# The environment
sub environment {
    my ($of) = @_;
    my $line = slope($of, $TERMS[4], 'vforkexec');
    return if !grows($line);
    return sprintf '64 KB of environment, copied into the program that is run, add %s.',
        duration($line->{slope});
}

my @SENTENCES = (
    \&slope_of_fork, \&largest_process, \&flat_methods, \&open_files, \&mappings,
    \&threads, \&ladder, \&with_exec, \&environment
);

sub folded {
    my ($text) = @_;
    my ($line, $out) = (q{ }, q{});
    for my $word (split q{ }, $text) {
        if (length("$line $word") > 78) { $out .= "$line\n"; $line = q{ } }
        $line .= " $word";
    }
    return "$out$line\n";
}

sub text {
    my ($of) = @_;
    my @said = map { $_->($of) } @SENTENCES;
    my @missing = grep { !$of->{$_} } needed();
    my $text = table($of) . "\nWhat that means\n\n" . join q{}, map { folded($_) } @said;
    $text .= "  No sentence is carried by these figures.\n" if !@said;
    $text .= "\nWithout the sweeps: @missing\n" if @missing;
    return $text;
}

1;
