# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Kinds;

# The kinds of lines of a report, and what each adds to the runs that are being read
# (Store::Import::Run has the state).  Pure functions.
#
#   kind_of(text) -> (kind { name, pattern, read }, { name => part of the line }), or
#       nothing.  $kind->{read}->(state, parts) -> what is wrong with the line, or undef
#   begins_with_title(state, text) -> true where the line begins with the title of a test

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::Import::Numbers
    qw(number_pattern number rounding is_equal_rounded problem_of_index);
use SpawnMeter::Store::Import::Run qw(key new_run current_run begin_block current_block
    move_to_new_run cell_to_fill FORM_4_1);

our @EXPORT_OK = qw(kind_of begins_with_title);

use constant {
    COPIES_MAX => 99_999,
    TITLE_MAX  => 80,       # characters
};

my $NUMBER = number_pattern();
my $UNIT = qr/(?:lps|lpm|KBps|MWIPS|MFLOPS|fps|score)/;
my $TIME = qr/\d{1,2}:\d\d:\d\d/a;
my $TITLE = qr/(?<title>[A-Za-z\d].*?)/a;
my $CPUS = qr/(?<cpus>\d+) CPUs? in system/a;
my $COLUMNS = qr/BASELINE +RESULT +INDEX/;
my $PARTIAL = qr/(?<partial> \(Partial Only\))?/;
my $PASSES = qr/\( ?(?<seconds>$NUMBER) ?s(?:ecs?)?, ?(?<samples>\d+) samples?\)/a;

# The first pattern that matches is taken
my @KINDS = (
    {
        name    => 'suite',
        pattern => qr/^BYTE UNIX Benchmarks? \(Version (?<version>[\w.-]+)\)/ai,
        read    => \&read_suite,
    },
    {
        name    => 'fact',
        pattern => qr/^(?<name>System|OS|Machine|Language): ?(?<value>.*)$/,
        read    => \&read_fact,
    },
    {
        name    => 'cpu',
        pattern => qr/^CPU (?<number>\d+): ?(?<model>.*)$/a,
        read    => \&read_cpu,
    },
    {
        name    => 'times',
        pattern => qr/^Benchmark Run: (?<date>.+?) (?<from>$TIME) ?- ?(?<to>$TIME)$/,
        read    => \&read_times,
    },
    {
        name    => 'copies',
        pattern => qr/^$CPUS; running (?<copies>\d+) parallel cop(?:y|ies) of tests$/a,
        read    => \&read_copies,
    },
    {
        name    => 'table',
        pattern => qr/^(?<category>.*\S Benchmarks) (?:Partial )?Index(?: Values)? +$COLUMNS$/,
        read    => \&read_table,
    },
    { name => 'table of 4.1', pattern => qr/^TEST +$COLUMNS$/, read => \&read_table },
    {
        name    => 'without figures',
        pattern => qr/^(?:(?:Start|End) Benchmark Run: .+|INDEX VALUES|=+)$/,
        read    => sub { return },
    },
    {
        name    => 'score',
        pattern => qr/^(?<category>.*\S Benchmarks) Index Score$PARTIAL:? +(?<score>$NUMBER)$/,
        read    => \&read_score,
    },
    {
        name    => 'score of 4.1',
        pattern => qr/^FINAL SCORE$PARTIAL:? +(?<score>$NUMBER)$/,
        read    => \&read_score,
    },
    {
        name    => 'result',
        pattern => qr/^$TITLE +(?<rate>$NUMBER) +(?<unit>$UNIT)(?: *$PASSES)?$/,
        read    => \&read_result,
    },
    {
        name    => 'row',
        pattern => qr/^$TITLE +(?<baseline>$NUMBER) +(?<rate>$NUMBER) +(?<index>$NUMBER)$/,
        read    => \&read_row,
    },
);

sub kind_of {
    my ($text) = @_;
    for my $kind (@KINDS) {
        return ($kind, {%+}) if $text =~ $kind->{pattern};
    }
    return;
}

sub begins_with_title {
    my ($state, $text) = @_;
    my $line = key($text);
    return grep { index($line, $_) == 0 } keys %{ $state->{titles} };
}

# ---- the head of a report -----------------------------------------------------------

sub read_suite {
    my ($state, $found) = @_;
    new_run($state)->{suite} = $found->{version};
    return;
}

sub read_fact {
    my ($state, $found) = @_;
    my ($name, $value) = @{$found}{qw(name value)};
    my $run = current_run($state);

    # a head without its first line begins another run, too
    $run = new_run($state) if $name eq 'System' && @{ $run->{printed} };
    my $facts = $run->{system};
    if ($name eq 'System') {
        ($run->{host}) = $value =~ /^(.*?)(?:: |$)/;
    } elsif ($name eq 'OS') {
        @{$facts}{qw(system kernel_release kernel_version)} = split / -- /, $value, 3;
    } elsif ($name eq 'Machine') {
        ($facts->{architecture}) = $value =~ /^(\S+)/;
    }
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

sub read_times {
    my ($state, $found) = @_;
    begin_block($state, %{$found});
    return;
}

# The same number of copies again is that of another run
sub read_copies {
    my ($state, $found) = @_;
    my ($cpus, $copies) = map { $_ + 0 } @{$found}{qw(cpus copies)};
    return "its number of CPUs or copies is not between 1 and @{[ COPIES_MAX ]}"
        if grep { $_ < 1 || $_ > COPIES_MAX } $cpus, $copies;
    my $block = $state->{block};
    $block = begin_block($state) if !$block || $block->{results} || $block->{copies};
    my @others = grep { $_ != $block && $_->{results} } @{ $state->{run}{blocks} };
    move_to_new_run($state, $block) if grep { $_->{copies} == $copies } @others;
    @{$block}{qw(copies cpus)} = ($copies, $cpus);
    $state->{run}{system}{cpus_online} = $cpus;
    return;
}

# ---- tables -------------------------------------------------------------------------

# Of an index table or a score.  4.1.0 has one table, without a title.
sub title_of {
    my ($found) = @_;
    return defined $found->{category} ? $found->{category} : FORM_4_1;
}

sub read_table {
    my ($state, $found) = @_;
    my $title = title_of($found);
    $state->{table} = $title;
    my $block = current_block($state);
    return if $title ne FORM_4_1;
    $block->{form} = FORM_4_1;
    $block->{copies} ||= 1;    # 4.1.0 never runs more
    return;
}

sub read_score {
    my ($state, $found) = @_;
    my $block = current_block($state);
    push @{ $state->{run}{scores} },
        {
        title   => title_of($found),
        block   => $block,
        score   => number($found->{score}),
        partial => defined $found->{partial} ? 1 : 0,
        };
    $state->{table} = undef;
    return;
}

# The results of a second machine beside those of the first are not a part of a title
sub problem_of_title {
    my ($title) = @_;
    return if length $title <= TITLE_MAX && $title !~ /\d[.,]\d|samples?\)|\b$UNIT\b/a;
    return 'the words before its numbers are not the title of a test';
}

sub read_result {
    my ($state, $found) = @_;
    my $problem = problem_of_title($found->{title});
    return $problem if defined $problem;
    my $rate = number($found->{rate});
    return 'its result is not above 0' if $rate <= 0;
    my $cell = cell_to_fill($state, $found->{title}, 'unit');
    $cell->{rounding} = rounding($found->{rate});
    return "its result is $found->{rate} here and $cell->{rate} in the index table"
        if defined $cell->{rate} && !is_equal_rounded($cell->{rate}, $rate);
    @{$cell}{qw(rate unit)} = ($rate, $found->{unit});
    @{$cell}{qw(seconds samples)} =
        map { defined $_ ? number($_) : undef } @{$found}{qw(seconds samples)};
    return;
}

# Words with three numbers are a row only in a table or after the title of a test
sub read_row {
    my ($state, $found) = @_;
    return if !$state->{table} && !$state->{titles}{ key($found->{title}) };
    my $problem = problem_of_title($found->{title});
    $problem = problem_of_index($found) if !defined $problem;
    return $problem if defined $problem;
    my $rate = number($found->{rate});
    my $cell = cell_to_fill($state, $found->{title}, 'index');
    return "its result is $cell->{rate} above and $rate in the table"
        if defined $cell->{rate} && !is_equal_rounded($cell->{rate}, $rate);
    $cell->{$_} = number($found->{$_}) for qw(baseline index);
    @{$cell}{qw(rate rounding)} = ($rate, rounding($found->{rate})) if !defined $cell->{rate};
    $cell->{category} = $state->{table} if defined $state->{table} && $state->{table} ne FORM_4_1;
    return;
}

1;
