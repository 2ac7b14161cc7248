# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published;

# The figures of the published experiments, beside those of a run that repeats them.  Pure
# functions.
#
#   tlpi(run, reference) -> { sizes => [ { here, book, rows => [ { method, here, book,
#       times_faster } ] } ], runs => passes of a cell, remarks => [remark] }
#       here and book of a size: VSZ in MB (here undefined where nothing was measured); of a
#       row: { elapsed, cpu => seconds for 100,000 creations, rate => per second } or undef;
#       times_faster: the same three as ratios
#       remark: { words, ratios => [ { words, ratio, low, high } ], holds => true, false, or
#       undef where something was not measured }
#   dillon(run, reference) -> { here, book => [ { method, shell, user, system, elapsed } ],
#       ratios => [ { method, here, book } ] }: seconds for 5,000 creations
#   linux_windows(run, references) -> { here => [ { method, ms, reaped_ms } ], book =>
#       [ { method, ms } ], ratios => [ { here, book, time } ], thread => { here, book } }:
#       ms: milliseconds of each run

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Stats      qw(mean median);
use SpawnMeter::Analysis::TwoSamples qw(ratio_interval);

our @EXPORT_OK = qw(tlpi dillon linux_windows);

use constant {
    TLPI_CREATIONS   => 100_000,
    DILLON_CREATIONS => 5000,
    FEWEST           => 6,         # passes for an interval
    SAME             => 0.1,       # a ratio within a tenth of 1 is "no difference"
    LITTLE           => 0.15,      # a ratio within this of 1 "differs little"
    GROWS            => 1.1,       # a ratio whose interval is above this "takes longer"
};

# { "label test" => [ { rate, time (s), count, cpu => [4 seconds], vsz_mb, creating (s) } ] }:
# an entry for each good pass of one copy
sub figures {
    my ($run) = @_;
    my %of;
    for my $pass (@{ $run->{passes} }) {
        next if $pass->{status} ne 'ok' || ref $pass->{results} ne 'ARRAY';
        my ($r, @more) = @{ $pass->{results} };
        next if !$r || @more || !$r->{count} || !$r->{time};
        next if !$r->{cpu} || grep { !defined } @{ $r->{cpu} };
        my $vsz = $r->{footprint} ? $r->{footprint}[0] : undef;
        my $label = defined $pass->{value} ? $pass->{value} : q{};
        push @{ $of{"$label $pass->{test}"} },
            {
            rate   => $pass->{rate},
            vsz_mb => defined $vsz ? $vsz / 1024 : undef,
            map { $_ => $r->{$_} } qw(time count cpu creating),
            };
    }
    return \%of;
}

# ---- Table 28-3 of The Linux Programming Interface ----------------------------------

my @TLPI_SIZES = qw(base +1M +10M);
my @TLPI_METHODS = (
    { words => 'fork()', test       => 'fork', book      => 'fork' },
    { words => 'vfork()', test      => 'vfork', book     => 'vfork' },
    { words => 'clone()', test      => 'clone', book     => 'clone' },
    { words => 'fork()+exec', test  => 'forkexec', book  => 'fork+exec' },
    { words => 'vfork()+exec', test => 'vforkexec', book => 'vfork+exec' },
);

# Means over the passes, as in the book
sub tlpi_means {
    my ($passes) = @_;
    return if !$passes;
    return {
        elapsed => mean(map { TLPI_CREATIONS / $_->{rate} } @{$passes}),
        cpu     =>
            mean(map { ($_->{cpu}[0] + $_->{cpu}[1]) / $_->{count} * TLPI_CREATIONS } @{$passes}),
        rate => mean(map { $_->{rate} } @{$passes}),
        vsz  => mean(grep { defined } map { $_->{vsz_mb} } @{$passes}),
    };
}

sub tlpi {
    my ($run, $reference) = @_;
    my $of = figures($run);
    my %book = map { ("$_->{vsz_mb} $_->{method}" => $_) } @{ $reference->{table}{rows} };
    my %vsz = map { ($_->{vsz_mb} => 1) } values %book;
    my @vsz = sort { $a <=> $b } keys %vsz;
    my ($any) = values %{$of};
    return {
        sizes   => [ map { tlpi_size($of, \%book, $TLPI_SIZES[$_], $vsz[$_]) } 0 .. $#TLPI_SIZES ],
        runs    => $any ? scalar @{$any} : 0,
        remarks => tlpi_remarks($of),
    };
}

sub tlpi_size {
    my ($of, $book, $label, $vsz) = @_;
    my %size = (label => $label, book => $vsz, here => undef, rows => []);
    for my $method (@TLPI_METHODS) {
        my $here = tlpi_means($of->{"$label $method->{test}"});
        my $b = $book->{"$vsz $method->{book}"};
        my %row = (
            method => $method->{words},
            here   => $here,
            book   => { elapsed => $b->{elapsed_s}, cpu => $b->{cpu_s}, rate => $b->{rate} },
        );
        $row{times_faster} = times_faster($here, $row{book}) if $here;
        $size{here} = $here->{vsz} if $here && !defined $size{here};
        push @{ $size{rows} }, \%row;
    }
    return \%size;
}

# How many times as fast here: by the times, the CPU times (undefined where none was
# counted), and the rates
sub times_faster {
    my ($here, $book) = @_;
    return {
        elapsed => $book->{elapsed} / $here->{elapsed},
        cpu     => $here->{cpu} > 0 ? $book->{cpu} / $here->{cpu} : undef,
        rate    => $here->{rate} / $book->{rate},
    };
}

# The ratio of the times of two cells, with its interval; undef where one is missing
sub ratio {
    my ($of, $cells) = @_;
    my ($x, $y) = map { [ map { $_->{rate} } @{ $of->{$_} || [] } ] } @{$cells}{qw(under over)};
    return if grep { @{$_} < FEWEST } $x, $y;
    my ($low, $high) = ratio_interval($y, $x);
    my $ratio = median(@{$x}) / median(@{$y});
    return { words => $cells->{words}, ratio => $ratio, low => $low, high => $high };
}

# "does not": within a tenth, or the interval holds 1
sub same {
    my ($x) = @_;
    return abs($x->{ratio} - 1) < SAME || ($x->{low} < 1 && $x->{high} > 1);
}

# What the book says beside the table.  ratios: the times of two cells, over / under; holds:
# sub (ratios) -> whether the remark holds here
my @TLPI_REMARKS = (
    {
        words  => 'fork() takes longer the larger the process',
        ratios => [
            { words => '+10 MB over base', under  => 'base fork', over => '+10M fork' },
            { words => '+300 MB over base', under => 'base fork', over => '+300M fork' },
        ],
        holds => sub { $_[0]{low} > GROWS && $_[1]{ratio} > $_[0]{ratio} },
    },
    {
        words  => 'vfork() and clone() do not, up to 300 MB',
        ratios => [
            { words => 'vfork, +300 MB', under => 'base vfork', over => '+300M vfork' },
            { words => 'clone, +300 MB', under => 'base clone', over => '+300M clone' },
        ],
        holds => sub { same($_[0]) && same($_[1]) },
    },
    {
        words  => '100 open files cost vfork(), and clone() nothing',
        ratios => [
            { words => 'vfork', under => 'base vfork', over => '100 files vfork' },
            { words => 'clone', under => 'base clone', over => '100 files clone' },
        ],
        holds => sub { $_[0]{low} > 1 && same($_[1]) && $_[0]{ratio} > $_[1]{ratio} },
    },
    {
        words  => 'clone() and the bare system call differ little',
        ratios => [ { words => 'clone over bare', under => 'bare clone', over => 'base clone' } ],
        holds  => sub { abs($_[0]{ratio} - 1) < LITTLE },
    },
    {
        words  => 'with exec the gap between fork() and vfork() shrinks',
        ratios => [
            { words => 'fork over vfork', under => 'base vfork', over     => 'base fork' },
            { words => 'with exec', under       => 'base vforkexec', over => 'base forkexec' },
        ],
        holds => sub { $_[1]{high} < $_[0]{low} },
    },
);

sub tlpi_remarks {
    my ($of) = @_;
    my @remarks;
    for my $remark (@TLPI_REMARKS) {
        my @ratios = map { ratio($of, $_) } @{ $remark->{ratios} };
        my $known = @ratios == @{ $remark->{ratios} };
        push @remarks,
            {
            words  => $remark->{words},
            ratios => $known ? \@ratios                              : [],
            holds  => $known ? ($remark->{holds}->(@ratios) ? 1 : 0) : undef,
            };
    }
    return \@remarks;
}

# ---- fork speed vs /bin/sh, 2003 ----------------------------------------------------

my @DILLON_METHODS = (
    { words => 'vfork+exec', test => 'vforkexec' },
    { words => 'fork+exec', test  => 'forkexec' },
);

# user, system and elapsed seconds of 5,000 creations, by the medians; undef where the
# cell was not measured
sub csh_times {
    my ($passes) = @_;
    return if !$passes;
    my $per = sub {
        my ($seconds) = @_;
        return DILLON_CREATIONS * median(map { $seconds->($_) / $_->{count} } @{$passes});
    };
    return {
        user    => $per->(sub { $_[0]{cpu}[0] + $_[0]{cpu}[2] }),
        system  => $per->(sub { $_[0]{cpu}[1] + $_[0]{cpu}[3] }),
        elapsed => $per->(sub { $_[0]{time} }),
    };
}

sub dillon {
    my ($run, $reference) = @_;
    my $of = figures($run);
    my @here;
    for my $shell ('static', 'dynamic', '/bin/sh') {
        push @here, map {
            my $times = csh_times($of->{"$shell $_->{test}"});
            { method => $_->{words}, shell => $shell, %{ $times || {} } }
        } @DILLON_METHODS;
    }
    my @book = map { dillon_row($_) } @{ $reference->{table}{rows} };
    my @ratios;
    for my $method (map { $_->{words} } @DILLON_METHODS) {
        my ($here, $book) = map { dynamic_over_static($method, @{$_}) } \@here, \@book;
        push @ratios, { method => $method, here => $here, book => $book } if $here;
    }
    return { here => \@here, book => \@book, ratios => \@ratios, creations => DILLON_CREATIONS };
}

# "1:23.4" of minutes and seconds
sub dillon_row {
    my ($row) = @_;
    my ($minutes, $seconds) = $row->{elapsed} =~ /^(\d+):([\d.]+)\z/ or return;
    return {
        method  => $row->{method},
        shell   => $row->{sh},
        user    => $row->{user_s},
        system  => $row->{sys_s},
        elapsed => 60 * $minutes + $seconds,
    };
}

sub dynamic_over_static {
    my ($method, @rows) = @_;
    my %elapsed = map { $_->{shell} => $_->{elapsed} } grep { $_->{method} eq $method } @rows;
    return if !$elapsed{static} || !$elapsed{dynamic};
    return $elapsed{dynamic} / $elapsed{static};
}

# ---- Linux and Windows, 2012 ----------------------------------------------------------

my @BURSTS = (
    { words => 'fork+exec', test      => 'forkexec' },
    { words => 'vfork+exec', test     => 'vforkexec' },
    { words => 'posix_spawn', test    => 'posix_spawn' },
    { words => 'pthread_create', test => 'thread' },
);

sub linux_windows {
    my ($run, @references) = @_;
    my $of = figures($run);
    my (@here, %here);
    for my $what (@BURSTS) {
        my @passes = @{ $of->{"1000 $what->{test}"} || [] };
        my @ms = map { 1000 * $_->{creating} } grep { defined $_->{creating} } @passes;
        my @reaped = map { 1000 * $_->{time} } @passes;
        push @here, { method => $what->{words}, ms => \@ms, reaped_ms => \@reaped };
        $here{ $what->{words} } = median(@ms) if @ms;
    }
    my %book = map { %{ $_->{elapsed_ms} || {} } } @references;
    my %then = map { $_ => median(@{ $book{$_} }) } keys %book;
    return {
        here   => \@here,
        book   => [ map { { method => $_, ms => $book{$_} } } sort keys %book ],
        ratios => burst_ratios(\%here, \%then),
        thread => scalar thread_share(\%here, \%then),
    };
}

# How our time compares with the published one: fork+exec with Windows' createprocess, too
sub burst_ratios {
    my ($here, $then) = @_;
    my @pairs = (
        { here => 'fork+exec', book      => 'fork+exec' },
        { here => 'pthread_create', book => 'pthread_create' },
        { here => 'fork+exec', book      => 'createprocess' },
    );
    my @ratios;
    for my $pair (@pairs) {
        my ($ours, $theirs) = ($here->{ $pair->{here} }, $then->{ $pair->{book} });
        push @ratios, { %{$pair}, rate => $theirs / $ours } if $ours && $theirs;
    }
    return \@ratios;
}

# A thread's time as a share of fork+exec's
sub thread_share {
    my ($here, $then) = @_;
    return if grep { !$here->{$_} || !$then->{$_} } qw(pthread_create fork+exec);
    my ($ours, $theirs) = map { $_->{pthread_create} / $_->{'fork+exec'} } $here, $then;
    return { here => $ours, book => $theirs };
}

1;
