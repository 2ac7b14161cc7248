package SpawnMeter::Catalog::Published::Tlpi;

# Table 28-3 of The Linux Programming Interface (M. Kerrisk, 2010): the time to create
# 100,000 processes at three sizes, and the remarks that stand around it, each held
# against the figures of this machine.
#
#   experiment() -> as SpawnMeter::Catalog::Published says

use strict;
use warnings;
use SpawnMeter::Catalog::Published::Figures qw(figures);
use SpawnMeter::Analysis::Stats             qw(mean median);
use SpawnMeter::Analysis::TwoSamples        qw(ratio_interval);

use constant CREATIONS => 100_000;

my @METHODS = (
    [ 'fork()'       => 'fork' ],
    [ 'vfork()'      => 'vfork' ],
    [ 'clone()'      => 'clone' ],
    [ 'fork()+exec'  => 'forkexec' ],
    [ 'vfork()+exec' => 'vforkexec' ]
);
my %BOOK = (
    'fork()'       => 'fork',
    'vfork()'      => 'vfork',
    'clone()'      => 'clone',
    'fork()+exec'  => 'fork+exec',
    'vfork()+exec' => 'vfork+exec'
);
my @SIZES = ([ 'base' => 0 ], [ '+1M' => '1M' ], [ '+10M' => '10M' ]);

sub experiment {
    return {
        name        => 'tlpi-28-3',
        title       => 'Table 28-3 of The Linux Programming Interface',
        axis        => 'heap',
        reference   => 'tlpi-2.6.27',
        passes      => 20,
        takes_count => 1,
        cells       => \&cells,
        text        => \&text,
    };
}

sub cell {
    my ($test, $label, @options) = @_;
    my @exec = $test->{name} =~ /exec/ ? ('--exec', '/bin/true') : ();
    return {
        %{$test},
        test    => $test->{name},
        series  => $test->{name},
        value   => $label,
        title   => "$test->{name}, $label",
        copies  => 1,
        pinned  => 1,
        options => [ @exec, @options ]
    };
}

# The table's fifteen, and what the remarks need
sub cells {
    my ($test) = @_;
    my @cells;
    for my $size (@SIZES) {
        my ($label, $heap) = @{$size};
        push @cells,
            map { cell($test->{ $_->[1] }, $label, $heap ? ('--heap', $heap) : ()) } @METHODS;
    }
    push @cells, map { cell($test->{$_}, '+300M', '--heap', '300M') } qw(fork vfork clone);
    push @cells, map { cell($test->{$_}, '100 files', '--files', 100) } qw(vfork clone);
    return (@cells, cell($test->{clone}, 'bare', '--raw'));
}

# Means over the passes, as in the book: seconds and CPU seconds of the parent for
# 100,000 creations, and the rate
sub means {
    my ($passes) = @_;
    return if !$passes;
    return {
        elapsed => mean(map { CREATIONS / $_->{rate} } @{$passes}),
        cpu     => mean(map { ($_->{cpu}[0] + $_->{cpu}[1]) / $_->{count} * CREATIONS } @{$passes}),
        rate    => mean(map { $_->{rate} } @{$passes}),
        vsz     => mean(grep { defined } map { $_->{vsz_mb} } @{$passes}),
    };
}

sub block {
    my ($title, $sizes, $row) = @_;
    my $text =
          "$title\n"
        . sprintf("%-12s", q{})
        . join(q{}, map { sprintf ' %21s', $_ } @{$sizes}) . "\n";
    $text .= sprintf('%-12s', q{}) . sprintf(' %6s %7s %6s', 'time', '(CPU)', 'rate') x 3 . "\n";
    for my $method (@METHODS) {
        $text .= sprintf '%-12s', $method->[0];
        for my $i (0 .. 2) {
            my @three = $row->($method, $i);
            $text .= @three ? sprintf(' %6s %7s %6s', @three) : sprintf(' %21s', 'not measured');
        }
        $text .= "\n";
    }
    return "$text\n";
}

sub text {
    my ($run, $reference) = @_;
    my $of = figures($run);
    my %here = map {
        my $m = $_->[1];
        map { ("$_->[0] $m" => means($of->{"$_->[0] $m"})) } @SIZES
    } @METHODS;
    my %book = map { ("$_->{vsz_mb} $_->{method}" => $_) } @{ $reference->{table}{rows} };
    my %size = map { ($_->{vsz_mb} => 1) } values %book;
    my @vsz = sort { $a <=> $b } keys %size;
    my @counts = map { $_->{count} } map { @{$_} } values %{$of};
    my $text =
        "Time to create 100,000 processes: elapsed seconds, CPU seconds of the parent\n(in parentheses), processes per second.\n"
        . (
        $run->{protocol}{counted}
        ? "Means of runs of $run->{protocol}{counted} creations.\n\n"
        : sprintf(
            "Means of %d runs of %g s each,\nscaled to 100,000.\n\n",
            runs($of), $run->{protocol}{slice}
        )
        );
    my @sizes = map {
        my $label = $_->[0];
        my ($any) = grep { defined } map { $here{"$label $_->[1]"} } @METHODS;
        $any ? sprintf('VSZ %.2f MB', $any->{vsz}) : $label
    } @SIZES;
    $text .= block(
        'Here',
        \@sizes,
        sub {
            my ($m, $i) = @_;
            my $h = $here{"$SIZES[$i][0] $m->[1]"} or return;
            return (
                sprintf('%.2f', $h->{elapsed}),
                sprintf('(%.2f)', $h->{cpu}),
                sprintf('%.0f', $h->{rate})
            );
        }
    );
    $text .= block(
        'The book (x86-32, Linux 2.6.27), as printed',
        [ map { sprintf 'VSZ %.2f MB', $_ } @vsz ],
        sub {
            my ($m, $i) = @_;
            my $b = $book{"$vsz[$i] $BOOK{$m->[0]}"};
            return (sprintf('%.2f', $b->{elapsed_s}), sprintf('(%.2f)', $b->{cpu_s}), $b->{rate});
        }
    );
    $text .= block(
        'How many times faster here: by the times, (by the CPU times), by the rates',
        \@sizes,
        sub {
            my ($m, $i) = @_;
            my ($h, $b) = ($here{"$SIZES[$i][0] $m->[1]"}, $book{"$vsz[$i] $BOOK{$m->[0]}"});
            return if !$h;
            return (
                sprintf('%.2f', $b->{elapsed_s} / $h->{elapsed}),
                $h->{cpu} > 0 ? sprintf('(%.2f)', $b->{cpu_s} / $h->{cpu}) : '(-)',
                sprintf('%.2f', $h->{rate} / $b->{rate})
            );
        }
    );
    return
          $text
        . "The book's times and rates do not always agree (126.93 s are 788 per second,\nprinted is 1276), so the two ratios differ.\n\n"
        . remarks($of);
}

sub runs { my ($of) = @_; my ($any) = values %{$of}; return $any ? scalar @{$any} : 0 }

# The ratio of two cells' times, with its interval; undef where one is missing
sub ratio {
    my ($of, $x, $y) = @_;
    my @rates = map { [ map { $_->{rate} } @{ $of->{$_} || [] } ] } $x, $y;
    return if grep { @{$_} < 6 } @rates;
    my ($low, $high) = ratio_interval($rates[1], $rates[0]);
    return { ratio => median(@{ $rates[0] }) / median(@{ $rates[1] }), low => $low, high => $high };
}

# What the book says beside the table: words, what is compared, and what must be so
sub remarks {
    my ($of) = @_;
    my $r = sub { return ratio($of, @_) };

    # "does not": within a tenth, or the interval holds 1
    my $same =
        sub { my ($x) = @_; return abs($x->{ratio} - 1) < 0.1 || ($x->{low} < 1 && $x->{high} > 1) };
    my @remarks = (
        [
            'fork() takes longer the larger the process',
            [
                [ '+10 MB over base'  => $r->('base fork', '+10M fork') ],
                [ '+300 MB over base' => $r->('base fork', '+300M fork') ]
            ],
            sub { return $_[0]{low} > 1.1 && $_[1]{ratio} > $_[0]{ratio} }
        ],
        [
            'vfork() and clone() do not, up to 300 MB',
            [
                [ 'vfork, +300 MB' => $r->('base vfork', '+300M vfork') ],
                [ 'clone, +300 MB' => $r->('base clone', '+300M clone') ]
            ],
            sub { return $same->($_[0]) && $same->($_[1]) }
        ],
        [
            '100 open files cost vfork(), and clone() nothing',
            [
                [ 'vfork' => $r->('base vfork', '100 files vfork') ],
                [ 'clone' => $r->('base clone', '100 files clone') ]
            ],
            sub { return $_[0]{low} > 1 && $same->($_[1]) && $_[0]{ratio} > $_[1]{ratio} }
        ],
        [
            'clone() and the bare system call differ little',
            [ [ 'clone over bare' => $r->('bare clone', 'base clone') ] ],
            sub { return abs($_[0]{ratio} - 1) < 0.15 }
        ],
        [
            'with exec the gap between fork() and vfork() shrinks',
            [
                [ 'fork over vfork' => $r->('base vfork', 'base fork') ],
                [ 'with exec'       => $r->('base vforkexec', 'base forkexec') ]
            ],
            sub { return $_[1]{high} < $_[0]{low} }
        ],
    );
    my $text = "What the book says beside it, in ratios of times (95 % interval):\n\n";
    for my $remark (@remarks) {
        my ($words, $ratios, $holds) = @{$remark};
        my $known = !grep { !$_->[1] } @{$ratios};
        $text .=
            sprintf "  %-52s %s\n", $words,
            !$known                                ? 'not measured'
            : $holds->(map { $_->[1] } @{$ratios}) ? 'holds here'
            :                                        'does not hold here';
        next if !$known;
        $text .= sprintf "      %-20s %6.2f (%.2f to %.2f)\n", $_->[0],
            @{ $_->[1] }{qw(ratio low high)}
            for @{$ratios};
    }
    return $text;
}

1;
