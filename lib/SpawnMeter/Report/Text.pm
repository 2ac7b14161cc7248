package SpawnMeter::Report::Text;

# render(run with blocks, options) -> the text report.
#
# Its shapes are the classic suite's to the byte: scripts read them.  What is new
# stands before the dashes or after the index scores, never with the word that
# those scripts look for, and with a unit at every number: three bare numbers in
# a row would be taken for a row of an index table.

use strict;
use warnings;
use POSIX                       ();
use SpawnMeter::Report::Visible qw(visible_run);
use SpawnMeter::Util::Format    qw(duration rate percent visible folded);

my @DAYS = qw(Sun Mon Tue Wed Thu Fri Sat);
my @MONTHS = qw(Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec);

use constant {
    WIDTH  => 80,    # of the head
    NARROW => 78,    # of the lists under the tables
};

sub new { my ($class, %with) = @_; return bless {%with}, $class }

sub render {
    my ($self, $scored) = @_;
    my $run = visible_run($scored);
    my $text = $self->header($run);
    $text .= $self->block($run, $_) for @{ $run->{scored} };
    return $text . $self->footer($run);
}

sub known { my ($value) = @_; return defined $value && length $value ? $value : 'unknown' }

sub header {
    my ($self, $run) = @_;
    my $s = $run->{system} || {};
    return $self->header_of_imported($run) if $run->{printed};
    my @lines = (
        "SpawnMeter (Version $run->{suite})",
        q{},
        'System: ' . known($run->{host}) . ': ' . known($s->{distribution} || $s->{system}),
        'OS: ' . join(' -- ', map { known($s->{$_}) } qw(system kernel_release kernel_version)),
        sprintf('Machine: %s (%s CPUs, %s usable)',
            map { known($_) } @{$s}{qw(architecture cpus_online cpus_usable)}),
        'CPU: '
            . known($s->{cpu_model})
            . (($s->{hypervisor} || 'none') ne 'none' ? '; a virtual machine' : q{}),
    );
    push @lines, map { "Build: $_" } map { split /; / } @{ $run->{build} || [] };
    push @lines, 'Measured: ' . $self->protocol($run);
    push @lines, "Command: $run->{command}" if defined $run->{command};
    @lines = @lines[ 0, 1, 2, 3, 4 ] if $self->{brief};
    return head(@lines);
}

# Lines of the head; long ones go on under their text
sub head {
    my (@lines) = @_;
    return
          "\n"
        . q{=} x 72 . "\n"
        . join(q{}, map { length ? folded(q{   }, visible($_), WIDTH, q{ } x 7) : "\n" } @lines)
        . "\n";
}

# What a text said, as far as it did
sub header_of_imported {
    my ($self, $run) = @_;
    my $s = $run->{system};
    my @lines =
        ("$run->{suite}, imported" . (defined $run->{source} ? " from $run->{source}" : q{}), q{});
    push @lines, "System: $run->{host}" if defined $run->{host};
    push @lines, 'OS: ' . join ' -- ',
        grep { defined } @{$s}{qw(system kernel_release kernel_version)}
        if defined $s->{system};
    push @lines, "Machine: $s->{architecture}" if defined $s->{architecture};
    push @lines, "CPU: $s->{cpu_model}" if defined $s->{cpu_model};
    push @lines, @{ $run->{conditions} || [] };
    return head(@lines);
}

sub protocol {
    my ($self, $run) = @_;
    my $p = $run->{protocol} || {};
    my $place = $p->{pin} ? 'copy i pinned to the i-th CPU' : 'placed by the kernel';
    return "the classic way: long passes, worst third dropped; $place"
        if ($p->{name} || q{}) eq 'classic';
    return "$p->{fixed} runs of each, shuffled (seed $p->{seed}); $place"
        if defined $p->{fixed} && defined $p->{seed};
    return 'in a way that is not known'
        if grep { !defined $p->{$_} } qw(precision max_time slice seed);
    my $how =
        ($p->{name} || q{}) eq 'quick'
        ? 'QUICK, a small fixed budget'
        : sprintf 'until +/- %g %%, at most %g s',
        100 * $p->{precision}, $p->{max_time};
    return sprintf "passes of %g s, shuffled (seed %s), %s; %s", $p->{slice}, $p->{seed}, $place,
        $how;
}

sub date_and_time {
    my ($epoch) = @_;
    my @t = localtime $epoch;
    return (sprintf('%s %s %02d %d', $DAYS[ $t[6] ], $MONTHS[ $t[4] ], $t[3], $t[5] + 1900),
        sprintf('%02d:%02d:%02d', @t[ 2, 1, 0 ]));
}

sub block {
    my ($self, $run, $block) = @_;
    my $cpus = $block->{cpus} || $run->{system}{cpus_online};
    my $text = q{-} x 72 . "\n" . when ($block);
    $text .= sprintf "%d CPU%s in system; running %d parallel cop%s of tests\n",
        $cpus, $cpus == 1 ? q{} : 's', $block->{copies}, $block->{copies} == 1 ? 'y' : 'ies'
        if $cpus && $block->{copies};
    $text .= "(the text does not say how many copies ran)\n" if !$block->{copies};
    $text .= "\n";

    # what an imported text has only in its index table has no unit
    for my $r (grep { defined $_->{unit} } @{ $block->{results} }) {
        $text .= sprintf '%-40s %12.1f %-5s', $r->{title}, @{$r}{qw(rate unit)};
        $text .=
            defined $r->{seconds}
            ? sprintf " (%.1f s, %d samples)\n", @{$r}{qw(seconds passes)}
            : "\n";
    }
    $text .= "\n";
    $text .= index_table($_) for @{ $block->{tables} };
    return $text . details($run, $block);
}

sub when {
    my ($block) = @_;
    if (defined $block->{started}) {
        my ($day, $from) = date_and_time($block->{started});
        my (undef, $to) = date_and_time($block->{ended} || $block->{started});
        return "Benchmark Run: $day $from - $to\n";
    }
    return q{} if !defined $block->{date};
    return 'Benchmark Run: ' . visible("$block->{date} $block->{from} - $block->{to}") . "\n";
}

sub index_table {
    my ($table) = @_;
    return index_table_of_4_1($table) if $table->{form} eq '4.1';
    my $kind = $table->{partial} ? 'Partial Index' : 'Index Values';
    my $text = sprintf "%-40s %12s %12s %8s\n", "$table->{title} $kind", qw(BASELINE RESULT INDEX);
    $text .= sprintf "%-40s %12.1f %12.1f %8.1f\n", @{$_}{qw(title baseline rate index)}
        for @{ $table->{rows} };
    $text .= sprintf "%-66s %8s\n", q{}, q{=} x 8;
    my $words = "$table->{title} Index Score" . ($table->{partial} ? ' (Partial Only)' : q{});
    return $text . sprintf("%-66s %8.1f\n", $words, $table->{score}) . "\n";
}

# As 4.1.0 printed it
sub index_table_of_4_1 {
    my ($table) = @_;
    my $text = sprintf "%-43s %8s %10s %10s\n\n", qw(TEST BASELINE RESULT INDEX);
    $text .= sprintf "%-40s %11.1f %10.1f %10.1f\n", @{$_}{qw(title baseline rate index)}
        for @{ $table->{rows} };
    $text .= sprintf "%-65s%9s\n", q{}, q{=} x 9;
    my $words = '     FINAL SCORE' . ($table->{partial} ? ' (Partial Only)' : q{});
    return $text . sprintf("%-64s%10.1f\n", $words, $table->{score}) . "\n";
}

# One line a test: what the result is worth, and what a creation costs.  Which are
# unsettled or disturbed stands below, with the word.
sub details {
    my ($run, $block) = @_;
    my @results = grep { $_->{used} } @{ $block->{results} };
    return q{} if !@results;
    my $format = "%-11s %6s %9s %7s %7s %7s %7s %7s %7s";
    my $text = sprintf "$format\n", 'test', '+/-', 'best', 'CPU', 'p50', 'p90', 'p99', 'p99.9',
        'max';
    for my $r (@results) {
        my $name = $r->{test};
        if (length $name > 11) { $text .= "$name\n"; $name = q{} }
        $text .= sprintf "$format%s\n", $name, percent($r->{plus_minus}),
            rate($r->{floor}, $r->{unit}),
            duration($r->{cpu_us}), map({ duration($_) } @{ $r->{latency} || [] }[ 0 .. 4 ]),
            $r->{disturbed} ? ' !' : q{};
    }
    my @open = grep { defined $_->{settled} && !$_->{settled} } @results;
    $text .= named(
        'unsettled',
        map {
            "$_->{test} "
                . (
                defined $_->{plus_minus} ? '+/- ' . percent($_->{plus_minus}) : '(too few passes)')
        } @open
    );
    $text .= named('outliers (kept)',
        map { "$_->{test} $_->{outliers}" } grep { $_->{outliers} } @results);
    $text .= named(
        '! DISTURBED',
        map      { sprintf '%s (%d of %d passes)', @{$_}{qw(test flagged passes)} }
            grep { $_->{disturbed} } @results
    );
    return "$text\n";
}

# "what: a, b, c", folded between the items
sub named {
    my ($what, @items) = @_;
    return q{} if !@items;
    my $list = join q{, }, map { s/ /\x{a0}/gr } @items;
    return folded(q{}, "$what: $list", NARROW, q{  }) =~ tr/\x{a0}/ /r;
}

sub footer {
    my ($self, $run) = @_;
    my @results = map { @{ $_->{results} } } @{ $run->{scored} };
    my $text = q{};
    return footer_of_imported($run) if $run->{printed};
    $text .= explanation($run) if @results && !$self->{brief};
    $text .= disturbances(@results);
    for my $block (@{ $run->{scored} }) {
        $text .= sprintf "%s, %d cop%s: %s: %s\n", $_->{test}, $_->{copies},
            $_->{copies} == 1 ? 'y' : 'ies', $_->{status}, known($_->{reason})
            for @{ $block->{lost} };
    }
    $text .= 'INCOMPLETE: ' . visible(known($run->{reason})) . "\n" if !$run->{complete};
    return $text;
}

sub footer_of_imported {
    my ($run) = @_;
    my $text =
        "Imported: printed figures without their passes; nothing is known of their spread.\n";
    return $text . join q{}, map { misprint($_) } @{ $run->{misprints} || [] };
}

sub misprint {
    my ($of) = @_;
    my ($title, $printed) = map { visible($_) } @{$of}{qw(title printed)};
    return "The printed score $printed ($title) has no index table to check it by.\n"
        if !defined $of->{computed};
    return sprintf "The printed score of %s, %d copies, is %s; its results give %.1f.\n",
        $title, $of->{copies}, $printed, $of->{computed};
}

sub explanation {
    my ($run) = @_;
    my $classic = ($run->{protocol}{name} || q{}) eq 'classic';
    my $text =
        $classic
        ? "RESULT: geometric mean of the passes without the worst third.\n"
        : "RESULT: median of the passes.\n";
    $text .= <<'END';
+/-: the larger half of the 95 % interval of the passes' median; slow drift it
  does not cover.  CPU: user and system time of one creation (or whatever the
  test does again and again), parent and child.
  p50 ... max: latency over all of them in all passes that count.
END
    $text .= "QUICK: a small fixed budget; ./Run without --quick says more.\n"
        if ($run->{protocol}{name} || q{}) eq 'quick';
    $text .= "The system tests are a part; all: ./Run index --classic-tree UNIXBENCH-FOLDER\n"
        if !$run->{with_tree} && grep { $_->{partial} && ($_->{category} || q{}) eq 'system' }
        map { @{ $_->{tables} } } @{ $run->{scored} };
    $text .= "No index: the tests ran with options that change their work.\n" if $run->{unscored};
    return $text;
}

sub disturbances {
    my (@results) = @_;
    my ($flagged, $passes, %why) = (0, 0);
    for my $r (@results) {
        $flagged += $r->{flagged};
        $passes  += $r->{passes};
        $why{$_} += $r->{reasons}{$_} for keys %{ $r->{reasons} };
    }
    return q{} if !$flagged;
    my $text = named(
        sprintf(
            'Flagged as disturbed: %d of %d passes (%.0f %%)',
            $flagged, $passes, 100 * $flagged / $passes
        ),
        map { "$_ $why{$_}" } sort { $why{$b} <=> $why{$a} || $a cmp $b } keys %why
    );
    my @bad = grep { $_->{disturbed} } @results;
    return $text if !@bad;
    my $line = q{*} x 60 . "\n";
    return
          $text
        . $line
        . sprintf("*** DISTURBED: more than 20 %% of the passes of %d of %d results.\n"
            . "*** Measure again on a quiet machine (./Run doctor tells more).\n",
        scalar @bad, scalar @results)
        . $line;
}

1;
