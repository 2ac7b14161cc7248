# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Text::Screen;

# The part of the text report below the classic suite's: one screen that stands alone and that
# Store::Import::Pasted reads back.
#
#   screen(run with `scored` blocks, width of the page) -> text
#   alternatives(columns, [what, command, what comes of it] ...) -> lines of a list
#   machine_of(run) -> "AMD EPYC, 2 CPUs, virtual; Linux 6.18.44; Debian 12, glibc 2.36"
#   is_virtual(run) -> true where it is known to be of a virtual machine
#   has_range(index) -> true where its range is printed
#
# Scripts that read the classic report must not take a line of it for one of theirs: CLASSIC.md's
# words ("Score", "lps" ...), titles of tests and three bare numbers in a row do not occur.

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max min sum);
use POSIX                             qw(ceil);
use SpawnMeter::Analysis::Findings    qw(line_of sign_of);
use SpawnMeter::Analysis::Fingerprint qw(cpu cpus distribution libc kernel_of);
use SpawnMeter::Analysis::Results     qw(grouped);
use SpawnMeter::Analysis::Score       qw(PAIRED REPEATED);
use SpawnMeter::Report::Columns       qw(in_words table_of widths);
use SpawnMeter::Report::Escape        qw(known);
use SpawnMeter::Report::Text::Quality qw(ending findings mark);
use SpawnMeter::Util::Format          qw(copies folded minutes shortened);

our @EXPORT_OK = qw(screen has_range machine_of is_virtual alternatives);

use constant {
    WIDTH   => 78,       # columns
    FIRST   => 60,       # columns that all columns of the first number of copies need
    NAME    => 11,       # columns of a test's name
    MORE    => 17,       # and of a further number of copies
    COMMAND => 300,      # characters of the command line
    MOST    => 9.99,     # a share that is a number
    WIDE    => 10,       # times the index, above which its range says nothing
    LARGE   => 99.95,    # index that is printed without decimals

    IMPORTED => 'Imported: figures and intervals as printed; no samples.',
    IF_BUSY  => 'Finer: end the other work (./Run doctor), or count instructions: ./Run kernels',
};

# What changed all rates stands above them
my %IS_ODD = map { $_ => 1 } qw(loader inherited emulated);

sub screen {
    my ($run, $columns) = @_;
    return join q{},
        paragraphs($columns, 'Imported: printed figures only; no samples, so no intervals.',
        ending($run))
        if $run->{printed} && !$run->{posted};
    my @blocks = @{ $run->{scored} };
    my ($busy, $odd, $others) = ([], [], []);
    push @{ $_->{kind} eq 'busy' ? $busy : $IS_ODD{ $_->{kind} } ? $odd : $others }, $_
        for findings($run);
    my $indexes = @{$busy} ? q{} : indexes($run, $columns, @blocks);
    my @busy = map { line_of($_) =~ s/[.](?=  )/ (${\sign_of('busy')})./r } @{$busy};
    return join q{}, paragraphs($columns, @busy),
        heading($run, measured_for(@blocks), $columns),
        paragraphs($columns, map { line_of($_) } @{$odd}), "\n",
        length $indexes ? "$indexes\n" : (), rates($run, $columns, @blocks), lost($run, @blocks),
        "\n", doubts($columns, @{$others}),
        $run->{printed} ? paragraphs($columns, IMPORTED, @{ $run->{posted}{notes} })
        : @{$busy}      ? paragraphs($columns, IF_BUSY)
        : what_to_do($columns, length $indexes, $others, @blocks),
        paragraphs($columns, ending($run));
}

sub paragraphs {
    my ($columns, @texts) = @_;
    return map { folded(q{}, s/\n\z//r, min(WIDTH, $columns), q{  }) } grep { length } @texts;
}

# ---- what was measured ----

sub machine_of {
    my ($run) = @_;
    my @machine = grep { defined } cpu($run) // ($run->{system} || {})->{architecture},
        cpus($run), is_virtual($run) ? 'virtual' : ();
    return join '; ', grep { length } join(q{, }, @machine), kernel_of($run), join q{, },
        grep { defined } distribution($run), libc($run);
}

sub is_virtual {
    my ($run) = @_;
    return (($run->{system} || {})->{hypervisor} || 'none') ne 'none'
        || ($run->{posted} || {})->{virtual};
}

sub heading {
    my ($run, $seconds, $columns) = @_;
    my ($command, $label) = @{$run}{qw(command label)};
    my @line = defined $command ? shortened($command, COMMAND) : ();
    $line[0] .= " ($label)" if @line && defined $label && index($line[0], $label) < 0;
    push @line,
        POSIX::strftime('%Y-%m-%d', localtime $run->{started})
        . ($seconds ? q{, } . minutes($seconds) : q{})
        if $run->{started};
    push @line, map { /^Measured: (\d{4}-\d\d-\d\d.*)/a } @{ ($run->{posted} || {})->{head} || [] };
    my $suite = ($run->{suite} =~ /^\d/ ? q{SpawnMeter } : q{}) . $run->{suite};
    return paragraphs($columns, "$suite  " . machine_of($run), join q{  }, @line);
}

sub measured_for {
    my @timed = grep { $_->{started} && $_->{ended} } @_;
    return sum(0, map { max(0, $_->{ended} - $_->{started}) } @timed);
}

# ---- indexes ----

sub has_range {
    my ($table) = @_;
    return defined $table->{low} && $table->{high} < WIDE * $table->{score};
}

# Each complete index for each number of copies, with its range (of a post the printed one) and how
# many times the first it is
sub indexes {
    my ($run, $columns, @blocks) = @_;
    my @indexes;
    for my $block (@blocks) {
        my $copies = $block->{copies};
        for my $table (grep { $_->{form} eq '5' && !$_->{partial} } @{ $block->{tables} }) {
            my ($printed) = grep { $_->{title} eq $table->{title} && $_->{copies} == $copies }
                @{ $run->{scores} || [] };
            my %range = map { $_ => ($printed || $table)->{$_} } qw(low high);
            push @indexes, { %{$table}, %range, copies => $copies };
        }
    }
    my $text = q{};
    for (reverse grouped(title => @indexes)) {
        my ($title, $first, @others) = @{$_};
        my $head = ($title =~ s/ Benchmarks\z//r) . ' index';
        my ($width) = widths(map { [ value_of($_) ] } $first, @others);
        for my $index ($first, @others) {
            my $line = sprintf '%-*s %-*s  %s', $columns < FIRST ? 13 : 15, $head, $width,
                value_of($index), copies($index->{copies});
            my $times = sprintf ', %.2f times', $index->{score} / ($first->{score} || 1);
            $line .= $times if $index != $first && length "$line$times" <= $columns;
            $text .= "$line\n";
            $head = q{};
        }
    }
    return $text;
}

sub value_of {
    my ($table) = @_;
    my $digits = $table->{score} < LARGE ? 1 : 0;
    my $text = sprintf '%.*f', $digits, $table->{score};
    return $text if !has_range($table);
    return $text . sprintf ' (%.*f .. %.*f)', map { ($digits, $_) } @{$table}{qw(low high)};
}

# ---- rates ----

# Of the first number of copies; further ones have the first two
my @COLUMNS = (
    [ 'result', 10, 'rate' ],
    [ 'plus_minus', 7, '+/- ' ],
    [ 'p50_us', 8, 'median' ],
    [ 'p99_us', 8, 'p99' ],
    [ 'blocked_p50_us', 9, 'blocked' ],
    [ 'faults', 7, 'faults' ],
);

# So many columns of table_of() for the block of this number
sub columns_of {
    my ($i, $title, $number) = @_;
    my @columns = map {
        my ($name, @form) = @{$_};
        [ sub { return cell($_[0]{of}[$i], $name) }, @form ]
    } @COLUMNS[ 0 .. $number - 1 ];
    push @{ $columns[0] }, $title;
    return @columns;
}

# The sign stands behind the +/- that it is about
sub cell {
    my ($result, $name) = @_;
    my $is_lost = !$result || $result->{status} ne 'ok';
    return $result->{status} if $result && $is_lost && $name eq 'result';
    my $text = $is_lost ? q{-} : in_words($result, $name);
    return $text if $name ne 'plus_minus';
    my $kind = $is_lost ? undef : mark($result);
    $text =~ s/(\d{3,}[.]\d)/sprintf '%.0f', $1/e;
    return $text . (defined $kind ? sign_of($kind) : q{ });
}

# The table of all tests: the first number of copies with all columns, further ones beside it as far
# as the page is wide enough, the others below
sub rates {
    my ($run, $columns, @blocks) = @_;
    my @rows = grep {
        grep { $_ && defined $_->{rate} }
            @{ $_->{of} }
    } rows($run, @blocks);
    my @titles = map { copies($_->{copies}) } @blocks;
    my ($text, $next) = (q{}, 0);
    while (@rows && $next < @blocks) {
        my $all = !$next && $columns >= FIRST;
        my $wide = $all ? FIRST : NAME + MORE;
        my @columns = columns_of($next, $titles[$next], $all ? scalar @COLUMNS : 2);
        while (++$next < @blocks && ($wide += MORE) <= $columns) {
            push @columns, columns_of($next, $titles[$next], 2);
        }
        $text .=
            (length $text ? "\n" : q{}) . table_of(\@columns, @rows) =~ s/ +$//mgr =~ s/\n\z//r;
    }
    return $text;
}

# { test, of => [its result or failure in each block] }, in the order of the run's tests
sub rows {
    my ($run, @blocks) = @_;
    my %place = map { $run->{tests}[$_]{name} => $_ } 0 .. $#{ $run->{tests} || [] };
    my (%row, @rows);
    for my $i (0 .. $#blocks) {
        for my $result (map { @{ $_ || [] } } @{ $blocks[$i] }{qw(results lost)}) {
            my $test = $result->{test};
            push @rows, $row{$test} = { test => $test, used => 1, of => [] } if !$row{$test};
            $row{$test}{of}[$i] ||= $result;
        }
    }
    return sort { ($place{ $a->{test} } // @rows) <=> ($place{ $b->{test} } // @rows) } @rows;
}

# The results that are missing, each in one line, whatever its length: scripts look for it; of a
# test without any result one of them
sub lost {
    my ($run, @blocks) = @_;
    my $text = q{};
    for my $row (rows($run, @blocks)) {
        my @lost = grep { $_ && $_->{status} ne 'ok' } @{ $row->{of} };
        my $is_whole = @lost == @blocks;
        for ($is_whole ? $lost[0] : @lost) {
            my $where = "$row->{test}, " . copies($_->{copies}) . ": $_->{status}";
            $where = sprintf '%-*s  %s', NAME, $row->{test},
                $_->{status} =~ s/skipped/not measured/r
                if $is_whole;
            $text .= "$where: " . known($_->{reason}) . "\n";
        }
    }
    return $text;
}

# ---- doubts, and what to do ----

# What the signs behind +/- mean, and what holds for the whole run
sub doubts {
    my ($columns, @findings) = @_;
    return paragraphs(
        $columns,
        map {
            my $sign = sign_of($_->{kind});
            defined $sign ? "$sign $_->{words}" : line_of($_)
        } grep { $_->{kind} ne 'resolves' } @findings
    );
}

# Which figures to quote, how much another run must differ, and what resolves more
sub what_to_do {
    my ($columns, $has_index, $findings, @blocks) = @_;
    return if !grep { @{ $_->{results} } } @blocks;
    my $what = $has_index ? 'the index, or a rate,' : 'a rate';
    my @apart = map { $_->{words} } grep { $_->{kind} eq 'resolves' } @{$findings};
    my $words = join q{  }, "Quote $what with its range and number of copies.", @apart, 'Finer:';
    return (folded(q{}, $words, min(WIDTH, $columns)), alternatives($columns, finer(@blocks)));
}

# What resolves more: [what, command, what it finds, and how long it takes]
sub finer {
    my (@blocks) = @_;
    my $results = grep { $_->{used} } map { @{ $_->{results} } } @blocks;
    my @repeated = grep { defined } map { $_->{repeated} } @blocks;
    my @paired = map { @{ $_->{in_turns} || [] } } @blocks;
    my $repeat = './Run --repeat ' . REPEATED . ' --label old';
    return (
        [ 'two settings', './Run ab', finds(PAIRED * $results, @paired) ],
        [ 'two states', $repeat, finds(REPEATED * measured_for(@blocks), @repeated) ],
        [ 'two kernels', './Run kernels A B', 'counts instructions, not time' ],
    );
}

# "finds 2 to 4 %, 8 minutes"
sub finds {
    my ($seconds, @shares) = @_;
    my @words;
    if (my @known = grep { $_ <= MOST } @shares) {
        my ($least, $most) = map { sprintf '%.0f', max(1, 100 * $_) } min(@known), max(@known);
        push @words, 'finds ' . ($least eq $most ? $least : "$least to $most") . ' %';
    }
    my $minutes = ceil($seconds / 60);
    push @words, $minutes == 1 ? '1 minute' : "$minutes minutes" if $minutes;
    return join q{, }, @words;
}

sub alternatives {
    my ($columns, @lines) = @_;
    my @widths = widths(@lines);
    return map { folded(q{  }, "$_->[0]: $_->[1]  $_->[2]", $columns, q{    }) } @lines
        if sum(6, @widths) > $columns;
    return map {
        sprintf('  %-*s  %-*s  %s', $widths[0], $_->[0], $widths[1], @{$_}[ 1, 2 ]) =~ s/ *\z/\n/r
    } @lines;
}

1;
