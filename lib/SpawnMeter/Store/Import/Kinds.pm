# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Kinds;

# The kinds of lines of a report, and what the head and the headers of a report add to the
# runs that are being read (Import::Run has the state; Import::Tables reads the results).
# Pure functions.
#
#   kind_of(titles, text) -> (kind { name, read }, { name => part of the line }), or nothing.
#       $kind->{read}->(state, parts) -> what is wrong with the line, or undef
#   unit_pattern() -> pattern of a unit

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::Import::Numbers qw(grouped_pattern);
use SpawnMeter::Store::Import::Own     qw(own_kinds);
use SpawnMeter::Store::Import::Run qw(new_run current_run begin_block move_to_new_run has_results);
use SpawnMeter::Store::Import::Tables
    qw(result_parts row_parts read_result read_row read_table read_score);

our @EXPORT_OK = qw(kind_of);

use constant {
    COPIES_MAX => 99_999,
    KNOWN_MAX  => 10_000,    # texts whose kind is remembered: a bound on memory
};

my $GROUPED = grouped_pattern();
my $TIME = qr/\d{1,2}:\d\d:\d\d/a;
my $COLUMNS = qr/BASELINE +RESULT +INDEX/;
my $PARALLEL = qr/parallel cop(?:y|ies)/;
my $CATEGORY = qr/(?<category>(?:(?!Index)\S+ ){1,4}Benchmarks)/;
my $PARTIAL = qr/(?<partial> \(Partial Only\))?/;

# The first pattern that matches is taken
my @KINDS = (
    {
        name    => 'suite',
        pattern => qr/^BYTE UNIX Benchmarks? \(Version (?<version>[\w.-]+)\)$/ai,
        read    => \&read_suite,
    },
    own_kinds(),
    {
        name    => 'fact',
        pattern => qr/^(?<name>System|OS|Machine|Language): ?(?:[|] ?)?(?<value>.*)$/,
        read    => \&read_fact,
    },
    {
        name    => 'fact',
        pattern => qr/^(?<name>System) -- (?<system>\S+) (?<host>\S+) (?<release>\S+)(?: .*)?$/,
        read    => \&read_system_of_4_1,
    },
    {
        name    => 'cpu',
        pattern => qr/^CPU (?<number>\d+): ?(?<model>.*)$/a,
        read    => \&read_cpu,
    },
    {
        name    => 'times',
        pattern => qr/^Benchmark [Rr]un: (?<date>.+?),? (?<from>$TIME) ?- ?(?<to>$TIME)$/,
        read    => \&read_times,
    },
    {
        name    => 'copies',
        pattern => qr/^(?<cpus>\d+) CPUs? in system; running (?<copies>\d+) $PARALLEL of tests$/a,
        read    => \&read_copies,
    },
    {
        name    => 'copies',
        pattern => qr/^Benchmark Run: (?<cpus>\d+) CPUs?; (?<copies>\d+) parallel process(?:es)?$/a,
        read    => \&read_copies,
    },
    {
        name    => 'table',
        pattern => qr/^$CATEGORY (?:Partial )?Index(?: Values)? +$COLUMNS$/,
        read    => \&read_table,
    },
    { name => 'table of 4.1', pattern => qr/^(?:[\w ]+: *)?TEST +$COLUMNS$/, read => \&read_table },
    {
        name    => 'score',
        pattern => qr/^$CATEGORY Index Score$PARTIAL:?[ |]+(?<score>$GROUPED)$/,
        read    => \&read_score,
    },
    {
        name    => 'score of 4.1',
        pattern =>
            qr/^(?<name>FINAL SCORE|AVERAGE|SUM of +\d+ items)$PARTIAL:? +(?<score>$GROUPED)$/,
        read => \&read_score,
    },
    {
        name    => 'without figures',
        pattern => qr/^(?:(?:Start|End) Benchmark Run: .+|INDEX VALUES|=+|.+ no measured results)$/,
        read    => sub { return },
    },
);
my %RESULT = (name => 'result', read => \&read_result);
my %ROW = (name => 'row', read => \&read_row);
my %PROGRESS = (name => 'without figures', read => sub { return });

# A line is looked at several times, while it is joined, separated and read
sub kind_of {
    my ($titles, $text) = @_;
    $titles->{kinds} = {} if keys %{ $titles->{kinds} ||= {} } > KNOWN_MAX;
    my $known = $titles->{kinds}{$text} ||= [ kind_of_new($titles, $text) ];
    return @{$known};
}

sub kind_of_new {
    my ($titles, $text) = @_;
    for my $kind (@KINDS) {
        return ($kind, {%+}) if $text =~ $kind->{pattern};
    }
    my $found = result_parts($titles, $text);
    return (\%RESULT, $found) if $found;
    return (\%PROGRESS, {}) if is_progress($text);
    $found = row_parts($titles, $text);
    return $found ? (\%ROW, $found) : ();
}

# "Execl Throughput  1 2 3": the passes, while they run
sub is_progress {
    my ($text) = @_;
    my ($passes) = $text =~ /[a-z)] {1,2}(1(?: \d+)+)$/a or return;
    my @passes = split / /, $passes;
    return !grep { $passes[$_] != $_ + 1 } 0 .. $#passes;
}

# ---- the head of a report -----------------------------------------------------------

sub read_suite {
    my ($state, $found) = @_;
    new_run($state)->{suite} = "UnixBench $found->{version}";
    return;
}

# A head without its first line begins another run, too
sub run_of_head {
    my ($state) = @_;
    my $run = current_run($state);
    return (grep { has_results($_) } @{ $run->{blocks} }) ? new_run($state) : $run;
}

sub read_fact {
    my ($state, $found) = @_;
    my ($name, $value) = @{$found}{qw(name value)};
    my $run = $name eq 'System' ? run_of_head($state) : current_run($state);
    my $facts = $run->{system};
    if ($name eq 'System') {
        ($run->{host}, my $distribution) = $value =~ /^(.*?)(?:: (.*))?$/;
        $facts->{distribution} = $distribution if $run->{posted};
    } elsif ($name eq 'OS') {
        @{$facts}{qw(system kernel_release kernel_version)} = split / -- /, $value, 3;
    } elsif ($name eq 'Machine') {
        ($facts->{architecture}) = $value =~ /^(\S+)/;
        @{$facts}{qw(cpus_online cpus_usable)} = ($1, $2)
            if $value =~ /\((\d+) CPUs, (\d+) usable\)/a;
    }
    return;
}

sub read_system_of_4_1 {
    my ($state, $found) = @_;
    my $run = run_of_head($state);
    $run->{host} = $found->{host};
    @{ $run->{system} }{qw(system kernel_release)} = @{$found}{qw(system release)};
    return;
}

sub read_cpu {
    my ($state, $found) = @_;
    my $run = current_run($state);
    my $model = $found->{model} =~ s/ *\([\d.]+ bogomips\)//ar;
    $run->{system}{cpu_model} = $model if $found->{number} == 0 && length $model;
    return;
}

# ---- blocks -------------------------------------------------------------------------

# No two runs have the same times: the line stands there twice
sub read_times {
    my ($state, $found) = @_;
    my @names = qw(date from to);
    my $same = sub {
        my ($block) = @_;
        return !grep { !defined $block->{$_} || $block->{$_} ne $found->{$_} } @names;
    };
    my ($block) = grep { $same->($_) } @{ current_run($state)->{blocks} };
    begin_block($state, %{$found}) if !$block;
    return;
}

# The same number of copies again is that of another run
sub read_copies {
    my ($state, $found) = @_;
    my ($cpus, $copies) = map { $_ + 0 } @{$found}{qw(cpus copies)};
    return "its number of CPUs or copies is not between 1 and @{[ COPIES_MAX ]}"
        if grep { $_ < 1 || $_ > COPIES_MAX } $copies, $cpus || 1;
    my $block = $state->{block};
    return if $block && $block->{copies} == $copies && !has_results($block);
    return 'it stands among results' if ($state->{previous} || q{}) eq 'result';
    $block = begin_block($state) if !$block || has_results($block) || $block->{copies};
    my @others = grep { $_ != $block && has_results($_) } @{ $state->{run}{blocks} };
    move_to_new_run($state, $block) if grep { $_->{copies} == $copies } @others;
    $block->{copies} = $copies;
    @{$block}{qw(cpus)} = $state->{run}{system}{cpus_online} = $cpus if $cpus;
    return;
}

1;
