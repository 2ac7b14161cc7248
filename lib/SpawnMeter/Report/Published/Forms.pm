# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Published::Forms;

# The tables of published experiments that have a form of their own, that of the original.
#
#   form(name of the form, run, figures) -> text.  The figures are what
#       SpawnMeter::Analysis::Published returns for this form

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(form);

my %FORM = (
    'tlpi'          => \&tlpi,
    'dillon'        => \&dillon,
    'linux-windows' => \&linux_windows,
);

sub form {
    my ($name, $run, $figures) = @_;
    return $FORM{$name}->($figures, $run);
}

# ---- Table 28-3 of The Linux Programming Interface ----------------------------------

sub tlpi {
    my ($figures, $run) = @_;
    my @sizes = @{ $figures->{sizes} };
    my @here =
        map { defined $_->{here} ? sprintf('VSZ %.2f MB', $_->{here}) : $_->{label} } @sizes;
    my @book = map { sprintf 'VSZ %.2f MB', $_->{book} } @sizes;
    my $text =
          "Time to create 100,000 processes: elapsed seconds, CPU seconds of the parent\n"
        . "(in parentheses), processes per second.\n"
        . tlpi_protocol($run, $figures);
    $text .= tlpi_block('Here', \@here, \@sizes, 'here', '%.0f');
    $text .=
        tlpi_block('The book (x86-32, Linux 2.6.27), as printed', \@book, \@sizes, 'book', '%s');
    $text .=
        tlpi_block('How many times faster here: by the times, (by the CPU times), by the rates',
        \@here, \@sizes, 'times_faster', '%.2f');
    return
          $text
        . "The book's times and rates do not always agree (126.93 s are 788 per second,\n"
        . "but 1276 is printed), so the two ratios differ.\n";
}

sub tlpi_protocol {
    my ($run, $figures) = @_;
    my $settings = $run->{protocol};
    return "Medians of runs of $settings->{counted} creations.\n\n" if $settings->{counted};
    return sprintf "Medians of %d runs of %g s each,\nscaled to 100,000.\n\n", $figures->{runs},
        $settings->{slice};
}

sub tlpi_block {
    my ($title, $heads, $sizes, $what, $rate_format) = @_;
    my $text = "$title\n" . q{ } x 12 . join(q{}, map { sprintf ' %21s', $_ } @{$heads}) . "\n";
    $text .= q{ } x 12 . sprintf(' %6s %7s %6s', 'time', '(CPU)', 'rate') x @{$sizes} . "\n";
    for my $i (0 .. $#{ $sizes->[0]{rows} }) {
        my @rows = map { $_->{rows}[$i] } @{$sizes};
        $text .= sprintf '%-12s', $rows[0]{method};
        $text .= tlpi_cell($_->{$what}, $rate_format) for @rows;
        $text .= "\n";
    }
    return "$text\n";
}

sub tlpi_cell {
    my ($three, $rate_format) = @_;
    return sprintf ' %21s', 'not measured' if !$three;
    my $cpu = defined $three->{cpu} ? sprintf '(%.2f)', $three->{cpu} : '(-)';

    # one of three constants
    my $rate = sprintf $rate_format, $three->{rate};    ## no critic (ProhibitFormats)
    return sprintf ' %6s %7s %6s', sprintf('%.2f', $three->{elapsed}), $cpu, $rate;
}

# ---- fork speed vs /bin/sh, 2003 ----------------------------------------------------

sub dillon {
    my ($figures) = @_;
    my $text =
          "Creating 5,000 processes that run sh -c 'exit 0'.  Columns as in csh's time:\n"
        . "user and system seconds, elapsed, CPU.  Medians of runs of 1,000, times 5.\n\nHere\n";
    for my $row (@{ $figures->{here} }) {
        my $what = "$row->{method}, $row->{shell}" =~ s/, \/bin/ of \/bin/r;
        $text .= csh_line($what, $row);
    }
    $text .= "\nPublished (Athlon 64, DragonFly, 2003)\n";
    $text .= csh_line("$_->{method}, $_->{shell}", $_) for @{ $figures->{book} };
    $text .= "\n";
    for my $ratio (@{ $figures->{ratios} }) {
        $text .= sprintf
            "%s, static over dynamic sh: %.1f times as fast here, %.1f times in 2003.\n",
            @{$ratio}{qw(method here book)};
    }
    return $text . <<'END';

The static and the dynamic sh are a small shell of this suite, linked in two
ways, whose only command is exit.  The split of user and system time is not
reliable: with tick accounting a whole tick is counted as one of them.  Page
faults and text and data sizes, which csh also prints, are not reported.
END
}

sub csh_line {
    my ($what, $t) = @_;
    return sprintf "  %-22s %s\n", $what, 'not measured' if !defined $t->{elapsed};
    my $minutes = int($t->{elapsed} / 60);
    return sprintf "  %-22s %7.3fu %7.3fs  %d:%05.2f %6.1f%%  %6.0f per second\n", $what,
        @{$t}{qw(user system)}, $minutes, $t->{elapsed} - 60 * $minutes, 100 * $t->{cpu},
        $t->{rate};
}

# ---- Linux and Windows, 2012 ----------------------------------------------------------

sub linux_windows {
    my ($figures) = @_;
    my $text = "1,000 creations, not waited for: the time until the last call returned.\n\nHere\n";
    for my $row (@{ $figures->{here} }) {
        $text .= burst_line($row->{method}, $row->{ms});
        $text .= burst_line('  ... until all were reaped', $row->{reaped_ms}) if $row->{reaped_ms};
    }
    $text .= "\nPublished (Core 2 Duo T5450, Ubuntu 10.04 and Windows XP)\n";
    $text .= burst_line($_->{method}, $_->{ms}) for @{ $figures->{book} };
    $text .= "\n";
    for my $ratio (@{ $figures->{ratios} }) {
        $text .= sprintf "%s here over %s in 2012: time %.2f, rate %.2f.\n",
            @{$ratio}{qw(here book time rate)};
    }
    my $thread = $figures->{thread};
    $text .= sprintf "A thread takes %.3f of the time of a fork+exec here, %.3f in 2012.\n",
        @{$thread}{qw(here book)}
        if $thread;
    return $text;
}

sub burst_line {
    my ($what, $ms) = @_;
    return sprintf "  %-32s not measured\n", $what if !$ms;
    my ($median, $low, $high, $runs) = @{$ms}{qw(median low high runs)};
    my $spread = $runs > 1 ? sprintf('%.1f to %.1f, %d runs', $low, $high, $runs) : 'one run';
    return sprintf "  %-32s %8.1f ms   (%s)\n", $what, $median, $spread;
}

1;
