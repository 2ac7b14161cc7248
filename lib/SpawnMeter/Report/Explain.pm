# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Explain;

# render(model of SpawnMeter::Analysis::CostModel) -> text of at most 78 columns: a sentence for
# each of its findings, unless most of its points are disturbed, then the model as a table.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::Format qw(duration signed_duration folded);

our @EXPORT_OK = qw(conclusions term);

use constant WIDTH => 78;

# In the order in which they are printed
my @SENTENCES = (
    { finding => 'slope_of_fork', words   => \&slope_of_fork },
    { finding => 'largest_process', words => \&largest_process },
    { finding => 'flat_methods', words    => \&flat_methods },
    { finding => 'open_files', words      => \&open_files },
    { finding => 'mappings', words        => \&mappings },
    { finding => 'threads', words         => \&threads },
    { finding => 'targets', words         => \&targets },
    { finding => 'loader', words          => \&loader },
    { finding => 'shapes', words          => \&shapes },
    { finding => 'page_faults', words     => \&page_faults },
    { finding => 'with_exec', words       => \&with_exec },
    { finding => 'environment', words     => \&environment },
    { finding => 'launch', words          => \&launch },
    { finding => 'spawners', words        => \&spawners },
    { finding => 'stall', words           => \&stall },
);

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
    my @found = grep { $findings->{ $_->{finding} } } @SENTENCES;
    return map { $_->{words}->($findings->{ $_->{finding} }) } @found;
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

1;
