# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Explain;

# The model of SpawnMeter::Analysis::CostModel as a table, and then in sentences.  There is
# a sentence for each finding.
#
#   render(model) -> text

use strict;
use warnings;
use SpawnMeter::Util::Format qw(duration signed_duration folded);

use constant WIDTH => 78;

my @SENTENCES = (
    [ slope_of_fork   => \&slope_of_fork ],
    [ largest_process => \&largest_process ],
    [ flat_methods    => \&flat_methods ],
    [ open_files      => \&open_files ],
    [ mappings        => \&mappings ],
    [ threads         => \&threads ],
    [ targets         => \&targets ],
    [ with_exec       => \&with_exec ],
    [ environment     => \&environment ],
);

sub render {
    my ($model) = @_;
    my $text =
          "The model: a creation takes the base, and for each more of the others so much\n"
        . "(95 % interval; R2 of the line); nothing: it is not set apart from 0.\n\n";
    $text .= method_table($_) for @{ $model->{methods} };
    $text .= target_table(@{ $model->{targets} });
    $text .= "\nWhat that means\n\n";
    my $of = $model->{findings};
    my @sentences = map { $_->[1]->($of->{ $_->[0] }) } grep { $of->{ $_->[0] } } @SENTENCES;
    $text .= folded(q{  }, $_, WIDTH) for @sentences;
    $text .= "  No sentence is carried by these figures.\n" if !@sentences;
    my @missing = @{ $model->{missing} };
    $text .= "\nWithout the sweeps: @missing\n" if @missing;
    return $text;
}

sub method_table {
    my ($of) = @_;
    my $text = sprintf "%s\n  %-26s %9s\n", $of->{method}, 'base', duration($of->{base});
    for my $term (@{ $of->{terms} }) {
        $text .= sprintf "  %-26s %9s   (%s to %s; R2 %s)\n", $term->{words},
            $term->{low} > 0 ? signed_duration($term->{slope}) : 'nothing',
            map({ signed_duration($_) } @{$term}{qw(low high)}),
            defined $term->{r2} ? sprintf('%.3f', $term->{r2}) : 'unknown';
    }
    return $text;
}

sub target_table {
    my (@targets) = @_;
    return q{} if !@targets;
    return join q{}, "targets, by vfork and exec\n",
        map { sprintf "  %-26s %9s\n", $_->{target}, duration($_->{us}) } @targets;
}

# The label of a size, for people: 100M -> 100 MB
sub sized { my ($label) = @_; return $label =~ /^(\d+)([MG])\z/ ? "$1 ${2}B" : $label }

sub slope_of_fork {
    my ($f) = @_;
    return sprintf 'fork takes %s, and then %s for each MB that the process has touched '
        . '(%s to %s): its page tables are copied, and torn down again.',
        map { duration($_) } @{$f}{qw(base slope low high)};
}

sub largest_process {
    my ($f) = @_;
    return sprintf 'A process of %s forks in %s; posix_spawn, with a program run into the '
        . 'bargain, takes it %s, and a small process %s: %.0f times less than the fork.',
        sized($f->{size}), map({ duration($_) } @{$f}{qw(fork posix_spawn small)}), $f->{times};
}

sub flat_methods {
    my ($f) = @_;
    my @names = map { $_->{method} } @{$f};
    return sprintf '%s %s: %s at any size that was tried.', join(' and ', @names),
        @names > 1
        ? 'share the memory, and so do not care'
        : 'shares the memory, and so does not care',
        join ' and ', map { duration($_->{us}) } @{$f};
}

sub open_files {
    my ($f) = @_;
    return sprintf
        '100 more open files cost vfork %s each time, since the table of them is copied%s.',
        duration($f->{vfork}),
        $f->{clone_free}
        ? '; clone, which shares it by CLONE_FILES, pays nothing that can be seen'
        : q{};
}

sub mappings {
    my ($f) = @_;
    return sprintf '1,000 more mappings cost fork %s%s.', duration($f->{fork}),
        $f->{vfork_free} ? ', and vfork nothing' : q{};
}

sub threads {
    my ($f) = @_;
    return
        sprintf '100 idle threads in the parent make fork and exec %.1f times as slow '
        . '(%s, without them %s).', $f->{times}, map { duration($_) } @{$f}{qw(with without)};
}

sub targets {
    my ($f) = @_;
    return sprintf 'What is run costs more than how: a program without libc takes %s, a '
        . 'static one %s, a dynamic one %s, of which the loader and libc are %.0f %%.',
        map({ duration($_) } @{$f}{qw(nolibc static dynamic)}), 100 * $f->{loader};
}

sub with_exec {
    my ($f) = @_;
    return
        sprintf 'With an exec, fork costs a small process %.0f %% more than vfork '
        . '(%s and %s), and a large one many times that: %s.', 100 * $f->{more},
        map { duration($_) } @{$f}{qw(fork vfork large)};
}

sub environment {
    my ($f) = @_;
    return sprintf '64 KB of environment, copied into the program that is run, add %s.',
        duration($f->{slope});
}

1;
