# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Counted;

# A run of kernels in one of its forms.
#
#   text(summary of Analysis::Instructions, run, verbose, brief => true or false, differ => [options
#       of configurations that differ]) -> text
#   csv(summary) -> text, always the same for the same counts

use strict;
use warnings;
use SpawnMeter::Report::Escape qw(ascii csv_line);
use SpawnMeter::Util::Format   qw(change folded time_left);

use constant WIDTH => 79;
my $LIMITS = 'Counts what the kernels execute. Leaves out caches, TLB, locks between CPUs and what '
    . 'mitigations stall: 10 % more instructions are not 10 % more time.';
my $NEXT = <<'END';
  time         boot both in turn: ./Run help two kernels
  which commit ./Run help bisect
END

sub text {
    my ($summary, $run, %with) = @_;
    my @sides = @{ $summary->{sides} };
    my @heads = heads(@sides);
    my $text = head($run) . "\n" . table($summary, @heads) . "\n";
    $text .= side_words($heads[$_], $sides[$_]) for 0 .. $#sides;
    $text .= details($summary, @heads) if $with{verbose};
    $text .= suspects($summary);
    my %seen;
    my @differ = map { ascii($_) } grep { !$seen{$_}++ } @{ $with{differ} };
    $text .= folded('Configurations differ in: ', join(', ', @differ), WIDTH, q{    }) if @differ;
    return $text if $with{brief};
    my $parameters = ascii($sides[0]{kernel}{parameters}) . '; in a control group';
    $text .= "\n" . folded(q{}, $LIMITS, WIDTH) . folded('All: ', $parameters, WIDTH, q{    });
    return @sides < 2 ? $text : $text . $NEXT;
}

sub head {
    my ($run) = @_;
    my ($of, $cost) = ($run->{sides}[0]{kernel}, $run->{cost} || {});
    my @parts = ("QEMU $of->{qemu}", $of->{model}, '1 CPU');
    push @parts, "seeds 1 to $run->{settings}{seeds}", "boots: $cost->{boots}";
    push @parts, "counted before: $cost->{kept}" if $cost->{kept};
    push @parts, time_left($cost->{wall}) if $cost->{boots};
    return folded(q{}, ascii('Instructions of one process, not time. ' . join q{, }, @parts),
        WIDTH);
}

# Versions where these differ, else letters
sub heads {
    my (@sides) = @_;
    my %seen;
    my @versions = map { $_->{kernel}{version} =~ /\A(\d[\w.]*(?:-\w+)?)/ ? $1 : q{?} } @sides;
    return grep({ $seen{$_}++ } @versions) ? map { $_->{name} } @sides : @versions;
}

sub table {
    my ($summary, $first, @others) = @_;
    my $text = sprintf '%-12s %11s', q{}, $first;
    $text .= sprintf ' %11s %8s %15s', $_, @others > 1 ? "/$first" : 'B/A', q{} for @others;
    $text =~ s/ +\z/\n/;
    $text .= "\n" if !@others;
    for my $row (@{ $summary->{rows} }) {
        my ($value, @values) = map { $_ ? thousands($_->{median}) : q{-} } @{ $row->{values} };
        $text .= sprintf '%-12s %11s', $row->{test}, $value;
        for my $of (@{ $row->{others} || [] }) {
            my @cells = $of ? (change($of->{ratio}), within($of), $of->{verdict}) : (q{-}) x 3;
            $text .= sprintf ' %11s %8s %6s  %-7s', shift @values, @cells;
        }
        $text =~ s/ *\z/\n/;
    }
    return $text;
}

sub thousands {
    my ($n) = @_;
    my $text = sprintf '%.0f', $n;
    1 while $text =~ s/^(\d+)(\d{3})/$1,$2/;
    return $text;
}

sub within {
    my ($of) = @_;
    return defined $of->{low}
        ? sprintf('+-%.1f', 100 * (sqrt($of->{high} / $of->{low}) - 1))
        : q{};
}

sub side_words {
    my ($head, $side) = @_;
    my $kernel = $side->{kernel};
    my @given = grep { length } $kernel->{given}, join q{ }, @{ $side->{options} };
    my $words = join '; ', "$kernel->{version} ($kernel->{name})", @given;
    return folded(ascii("$head: "), ascii($words), WIDTH, q{    });
}

sub details {
    my ($summary, @heads) = @_;
    my $text = "\nOf the median creation (elements of string instructions are not in the sum)\n";
    $text .= sprintf "%-12s %-14s %11s %11s %11s %11s\n", q{}, q{},
        qw(kernel programs elements mean);
    for my $row (@{ $summary->{rows} }) {
        for my $i (grep { $row->{values}[$_] } 0 .. $#heads) {
            $text .= sprintf "%-12s %-14s %11s %11s %11s %11s\n", $row->{test}, $heads[$i],
                map { thousands($_) } @{ $row->{values}[$i] }{qw(kernel user elements mean)};
        }
    }
    return $text;
}

sub suspects {
    my ($summary) = @_;
    my @high = map { $_->{test} } grep {
        grep { $_ && $_->{high_mean} }
            @{ $_->{values} }
    } @{ $summary->{rows} };
    return @high
        ? folded('Their mean is far above the median, so something else ran: ', "@high")
        : q{};
}

sub csv {
    my ($summary) = @_;
    my $text = csv_line(qw(test image instructions low high user kernel string_elements));
    for my $row (@{ $summary->{rows} }) {
        my @values = @{ $row->{values} };
        for my $kernel (map { $_->{kernel} } @{ $summary->{sides} }) {
            my $value = shift @values or next;
            my @interval = map { defined() ? sprintf '%.1f', $_ : undef } @{$value}{qw(low high)};
            my $name = join q{ }, grep { length } @{$kernel}{qw(version given)};
            my @parts = @{$value}{qw(user kernel elements)};
            $text .= csv_line($row->{test}, $name, $value->{median}, @interval, @parts);
        }
    }
    return $text;
}

1;
