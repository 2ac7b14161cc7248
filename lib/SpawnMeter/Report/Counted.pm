# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Counted;

# A run of kernels in one of its forms.
#
#   text(summary of Analysis::Instructions, run, verbose, brief => true or false, differ => [options
#       of configurations that differ], functions => changed() of Analysis::Instructions, or undef)
#       -> text of at most 65 columns, for mails and commit messages where there are two sides
#   csv(summary) -> text, always the same for the same counts
#   page(summary, run, as text() takes them) -> HTML

use strict;
use warnings;
use List::Util                     qw(max min);
use SpawnMeter::Report::Chart      qw(number_scale rows);
use SpawnMeter::Report::Escape     qw(ascii csv_line prose);
use SpawnMeter::Report::HTML::Page qw(heading soft table to_copy);
use SpawnMeter::Util::Format       qw(change folded thousands time_left);

use constant {
    WIDTH  => 65,
    SHOWN  => 15,    # functions
    DRAWN  => 25,    # the same in a picture
    COLUMN => 34,    # of a function's name
};
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
    my $text = head($run) . "\n" . rows_of($summary, @heads) . "\n";
    $text .= side_words($heads[$_], $sides[$_]) for 0 .. $#sides;
    $text .= details($summary, @heads) if $with{verbose};
    $text .= suspects($summary);
    my %seen;
    my @differ = map { ascii($_) } grep { !$seen{$_}++ } @{ $with{differ} };
    $text .= folded('Configurations differ in: ', join(', ', @differ), WIDTH, q{    }) if @differ;
    $text .= functions($with{functions}, $run, @heads[ 0, 1 ]) if $with{functions};
    return $text . folded('Command: ', ascii($run->{command} // 'unknown'), WIDTH, q{    })
        if $with{brief};
    my $parameters = ascii($sides[0]{kernel}{parameters}) . '; in a control group';
    $text .= "\n" . folded(q{}, $LIMITS, WIDTH) . folded('All: ', $parameters, WIDTH, q{    });
    my $where = "  where        ./Run kernels A B --functions $summary->{rows}[0]{test}\n";
    return @sides < 2 ? $text : $text . ($with{functions} ? q{} : $where) . $NEXT;
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

sub rows_of {
    my ($summary, $first, @others) = @_;
    my $text = sprintf '%-12s %11s', q{}, $first;
    $text .= sprintf ' %11s %8s %15s', $_, @others > 1 ? 'change' : 'B/A', q{} for @others;
    $text =~ s/ +\z/\n/;
    $text .= "\n" if !@others;
    for my $row (@{ $summary->{rows} }) {
        my ($value, @compared) = cells($row);
        $text .= sprintf '%-12s %11s', $row->{test}, $value;
        $text .= sprintf ' %11s %8s %6s  %-7s', @{$_} for @compared;
        $text =~ s/ *\z/\n/;
    }
    return $text;
}

# -> (instructions of the first side; of each other side [them, change, interval, verdict])
sub cells {
    my ($row) = @_;
    my ($value, @values) = map { $_ ? thousands($_->{median}) : q{-} } @{ $row->{values} };
    my @compared = map { $_ ? [ change($_->{ratio}), within($_), $_->{verdict} ] : [ (q{-}) x 3 ] }
        @{ $row->{others} || [] };
    return ($value, map { [ shift @values, @{$_} ] } @compared);
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

# ---- functions ----

sub functions {
    my ($changed, $run, @heads) = @_;
    my $title = "Functions of a $run->{settings}{functions}";
    $title .= ' that changed most' if defined $heads[1];
    return part(\@heads, $title, folded_up(@{ $changed->{functions} }))
        . part(\@heads, Families => @{ $changed->{families} });
}

# The rest as one row
sub folded_up {
    my (@rows) = @_;
    return @rows if @rows <= SHOWN + 1;
    my @rest = splice @rows, SHOWN;
    return @rows, total(@rest . ' others', @rest);
}

sub total {
    my ($name, @rows) = @_;
    my %total = (name => $name);
    for my $row (@rows) { $total{$_} += $row->{$_} for qw(old new) }
    return \%total;
}

sub part {
    my ($heads, $title, @rows) = @_;
    my $line = sub {
        my ($name, @cells) = @_;
        my $above = length $name > COLUMN ? "$name\n" : q{};
        return $above . sprintf "%-*s %9.9s %9.9s %9s\n", COLUMN, $above ? q{} : $name, @cells
            if defined $heads->[1];
        return $above . sprintf "%-*s %9.9s\n", COLUMN, $above ? q{} : $name, $cells[0];
    };
    my $text = "\n$title\n" . $line->(q{}, @{$heads}[ 0, 1 ], 'change');
    for my $row (@rows, total('all', @rows)) {
        my @cells = map { thousands($_) } @{$row}{qw(old new)};
        $text .= $line->(ascii($row->{name}), @cells, signed($row->{new} - $row->{old}));
    }
    return $text;
}

sub signed { my ($n) = @_; return ($n < 0 ? q{-} : q{+}) . thousands(abs $n) }

# ---- the page ----

sub page {
    my ($summary, $run, %with) = @_;
    my @heads = heads(@{ $summary->{sides} });
    my $rows = $summary->{rows};
    my $title = result(\@heads, @{$rows});
    my $about = 'Instructions of one process, counted in QEMU: not time. Kernels: '
        . join(q{, }, @heads) . q{.};
    my $html = heading($title, $about, [], $run->{command}) . dots($rows, @heads);
    $html .= bars($with{functions}, $run, @heads) if $with{functions} && @heads > 1;
    my @lines = map {
        my ($value, @more) = cells($_);
        [ $_->{test}, map({ @{$_}[ 1 .. 3, 0 ] } reverse @more), $value ]
    } @{$rows};
    my @others = map { ('Change', '95 %', 'Verdict', $_) } reverse @heads[ 1 .. $#heads ];
    $html .= table('Instructions', [ 'Test', @others, $heads[0] ], \@lines) . soft(prose($LIMITS));
    my $text = text($summary, $run, %with);
    $html .= to_copy('The report as text, to copy', $text);
    return SpawnMeter::Report::HTML::Page::page($title, $about, $html);
}

# "7.3.4 executes 28.6 to 61.3 % more instructions than 5.10.0", where the verdicts agree
sub result {
    my ($heads, @rows) = @_;
    my ($first, @others) = @{$heads};
    my $what = @rows == 1 ? $rows[0]{test} : 'one process';
    return "Instructions of $what in $first" if !@others;
    my @known = grep { $_ && defined $_->{ratio} } map { ($_->{others} || [])->[-1] } @rows;
    my %verdicts = map { $_->{verdict} => 1 } @known;
    my $are = "$others[-1] compared with $first";
    my ($verdict, $other) = keys %verdicts;
    return "$are: instructions of $what"
        if $other || ($verdict // q{}) !~ /\A(?:more|fewer)\z/;
    my ($least, $most) = map { sprintf '%.1f', $_ }
        (sort { $a <=> $b } map { abs 100 * ($_->{ratio} - 1) } @known)[ 0, -1 ];
    my $by = $least eq $most ? $most : "$least to $most";
    return "$others[-1] executes $by % $verdict instructions than $first for $what";
}

# On a line for each test, as a share of the first image
sub dots {
    my ($rows, @heads) = @_;
    my (@shown, @all);
    for my $row (@{$rows}) {
        my $first = ($row->{values}[0] || next)->{median} / 100;
        my @marks;
        for my $i (grep { $row->{values}[$_] } 0 .. $#heads) {
            my %value = %{ $row->{values}[$i] };
            my @range = map { $value{$_} && $value{$_} / $first } qw(low high);
            push @marks,
                { dot => $value{median} / $first, range => \@range, class => "k$i", square => $i };
            push @all, grep { defined } $value{median} / $first, @range;
        }
        push @shown,
            {
            name  => $row->{test},
            text  => thousands($row->{values}[-1]{median}),
            marks => \@marks
            };
    }
    return rows(
        caption => "Instructions of one process. Per cent of $heads[0], with the 95 % "
            . 'interval; a dot is the first image, a square another one; to the left: fewer.',
        scale   => number_scale(min(@all), max(@all)),
        rows    => \@shown,
        words   => "Instructions in QEMU, per cent of $heads[0]",
        columns => [ 24, 16 ],
    );
}

sub bars {
    my ($changed, $run, @heads) = @_;
    my @changes = grep { $_->{new} != $_->{old} } @{ $changed->{functions} };
    splice @changes, DRAWN if @changes > DRAWN;
    my (@shown, @all);
    for my $row (@changes) {
        my $change = $row->{new} - $row->{old};
        my %mark = (bar => [ 0, $change ], class => $change > 0 ? 'k1' : 'k0');
        push @shown, { name => $row->{name}, text => signed($change), marks => [ \%mark ] };
        push @all, $change;
    }
    return rows(
        caption => "Functions of a $run->{settings}{functions} that changed most. To the right: "
            . "$heads[1] executes more instructions in them.",
        scale   => number_scale(min(0, @all), max(0, @all), \&thousands),
        rows    => \@shown,
        words   => 'Instructions in QEMU, of one process',
        columns => [ 46, 14 ],
    );
}

1;
