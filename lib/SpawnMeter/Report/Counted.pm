# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Counted;

# A run of kernels in one of its forms.
#
#   text(summary of Analysis::Instructions, run, verbose, brief => true or false) -> text of at most
#       65 columns, for mails and commit messages; more only for a long name or more sides
#   csv(summary) -> text, always the same for the same counts
#   page(summary, run) -> HTML

use strict;
use warnings;
use List::Util                      qw(max min);
use SpawnMeter::Report::Chart       qw(rows number_scale);
use SpawnMeter::Report::Differences qw(text_table);
use SpawnMeter::Report::Escape      qw(ascii csv_line number);
use SpawnMeter::Report::HTML::Page  qw(preformatted);
use SpawnMeter::Util::Format        qw(change folded thousands time_left);

use constant {
    WIDTH => 65,
    SHOWN => 15,    # functions
};
my $LIMITS = 'Counts what the kernels execute. Leaves out caches, TLB, locks between CPUs and what '
    . 'mitigations stall: 10 % more instructions are not 10 % more time.';
my $OF_PARTS = 'kernel and user: parts of the number above; elements: of string instructions, '
    . 'which are not in it; mean: of all creations';
my $NEXT = <<'END';
  where        ./Run kernels A B --functions TEST
  time         boot both in turn: ./Run help two kernels
  which commit ./Run help bisect
END

sub text {
    my ($summary, $run, %with) = @_;
    my @sides = @{ $summary->{sides} };
    my @heads = heads(@sides);
    my @parts = $with{verbose} ? qw(kernel user elements mean) : ();
    my $text = note(head($run)) . "\n" . table_of($summary->{rows}, \@parts, @heads) . "\n";
    $text .= note($OF_PARTS) if @parts;
    $text .= note("$heads[$_]: " . side_words($sides[$_])) for 0 .. $#sides;
    my @high = map { $_->{test} } grep { $_->{high_mean} } @{ $summary->{rows} };
    $text .= note("The mean is far above the median, so something else ran: @high") if @high;
    my $differ = join ', ', @{ $summary->{differ} };
    $text .= note("Configurations differ in: $differ") if length $differ;
    my $listed = $run->{settings}{functions};
    if    ($summary->{functions}) { $text .= functions($summary, $listed, @heads) }
    elsif ($listed) { $text .= note("No functions: no symbols fit what $heads[0] executed") }
    return $text . note("Command: $run->{command}") if $with{brief};
    $text .= "\n" . note($LIMITS) . note("All: $sides[0]{kernel}{parameters}; in a control group");
    return @sides > 1 ? $text . $NEXT : $text;
}

sub note { my ($words) = @_; return folded(q{}, ascii($words), WIDTH, q{    }) }

sub head {
    my ($run) = @_;
    my ($of, $cost) = ($run->{sides}[0]{kernel}, $run->{cost} || { boots => 0, wall => 0 });
    return join q{, }, "Instructions of one process, not time. QEMU $of->{qemu}", $of->{model},
        '1 CPU', "seeds 1 to $run->{settings}{seeds}", "boots: $cost->{boots}",
        time_left($cost->{wall});
}

# Versions where these differ, else letters
sub heads {
    my (@sides) = @_;
    my %seen;
    my @versions = map { $_->{kernel}{version} =~ /\A(\d[\w.]*(?:-\w+)?)/ ? $1 : q{?} } @sides;
    return grep({ $seen{$_}++ } @versions) ? map { $_->{name} } @sides : @versions;
}

# A row of each test: instructions of the first side, and of each other side these, change,
# interval, verdict; below it the parts of what was counted
sub table_of {
    my ($rows, $parts, $first, @others) = @_;
    my $change = @others > 1 ? 'change' : 'B/A';
    my @lines = [ 'test', $first, map { ($_, $change, '95 %', 'verdict') } @others ];
    for my $row (@{$rows}) {
        my ($median, @values) = map { thousands($_->{median}) } @{ $row->{values} };
        my @cells = map { (shift @values, change($_->{ratio}), within($_), $_->{verdict}) }
            @{ $row->{others} || [] };
        push @lines, [ $row->{test}, $median, @cells ];
        for my $part (@{$parts}) {
            my ($number, @numbers) = map { thousands($_->{$part}) } @{ $row->{values} };
            push @lines, [ "  $part", $number, map { ($_, (q{}) x 3) } @numbers ];
        }
    }
    return text_table(WIDTH, [], @lines);
}

sub within {
    my ($other) = @_;
    return q{} if !defined $other->{low};
    return sprintf '+-%.1f', 100 * (sqrt($other->{high} / $other->{low}) - 1);
}

sub side_words {
    my ($side) = @_;
    my ($kernel, $programs) = @{$side}{qw(kernel programs)};
    my @given = grep { length } $kernel->{given}, join q{ }, @{ $side->{options} };
    push @given, "programs in $programs" if defined $programs;
    return join '; ', "$kernel->{version} ($kernel->{name})", @given;
}

sub csv {
    my ($summary) = @_;
    my $text = csv_line(qw(test image instructions low high user kernel string_elements));
    for my $row (@{ $summary->{rows} }) {
        my @values = @{ $row->{values} };
        for my $kernel (map { $_->{kernel} } @{ $summary->{sides} }) {
            my %value = %{ shift @values };
            my $name = join q{ }, grep { length } @{$kernel}{qw(version given)};
            my @interval = map { number('%.1f', $_) } @value{qw(low high)};
            $text .= csv_line($row->{test}, $name, $value{median}, @interval,
                @value{qw(user kernel elements)});
        }
    }
    return $text;
}

# ---- functions ----

sub functions {
    my ($summary, $test, @heads) = @_;
    splice @heads, 2 if @heads > 2;
    my @largest = @{ $summary->{functions} };
    my @rest = @largest > SHOWN + 1 ? splice @largest, SHOWN : ();
    push @largest, total(@rest . ' others', @rest) if @rest;
    my $title = "Functions of a $test" . (@heads > 1 ? ' that changed most' : q{});
    return part($title, \@heads, @largest) . part('Families', \@heads, @{ $summary->{families} });
}

sub total {
    my ($name, @rows) = @_;
    my %total = (name => $name);
    for my $row (@rows) { $total{$_} += $row->{$_} for qw(old new change) }
    return \%total;
}

sub part {
    my ($title, $heads, @rows) = @_;
    my $last = @{$heads} > 1 ? 3 : 1;
    my @lines =
        map { [ $_->{name}, map({ thousands($_) } @{$_}{qw(old new)}), signed($_->{change}) ] }
        @rows, total(all => @rows);
    return "\n$title\n"
        . text_table(WIDTH, [], map { [ @{$_}[ 0 .. $last ] ] } [ q{}, @{$heads}, 'change' ],
        @lines);
}

sub signed { my ($n) = @_; return ($n < 0 ? q{-} : q{+}) . thousands(abs $n) }

# ---- the page ----

sub page {
    my ($summary, $run) = @_;
    my @heads = heads(@{ $summary->{sides} });
    my @rows = @{ $summary->{rows} };
    my $title = 'Instructions of one process in ' . join q{, }, @heads;
    $title = "$heads[-1] compared with $heads[0], instructions of one process: " . join q{, },
        map { "$_->{test} " . change($_->{others}[-1]{ratio}) } @rows
        if @heads > 1;
    my %head = (title => $title, about => 'Counted in QEMU: not time.');
    my $picture = rows(
        caption => 'Instructions of one process in each kernel.',
        rows    => [ map { ({ head => $_->{test} }, dots($_, @heads)) } @rows ],
        label   => \&thousands,
        words   => 'Instructions in QEMU: not time',
        columns => [ 30, 18 ],
    );
    return SpawnMeter::Report::HTML::Page::page(
        { %head, command => $run->{command} },
        $picture,
        bars($summary, $run, @heads),
        preformatted(text($summary, $run))
    );
}

sub dots {
    my ($row, @heads) = @_;
    return map {
        my %value = %{ $row->{values}[$_] };
        my %shown = (name => $heads[$_], text => thousands($value{median}), class => "k$_");
        +{ %shown, value => $value{median}, low => $value{low}, high => $value{high} }
    } 0 .. $#heads;
}

# The functions that changed most between the first two images
sub bars {
    my ($summary, $run, @heads) = @_;
    my @shown = grep { $_->{change} } @{ $summary->{functions} || [] };
    return q{} if @heads < 2 || !@shown;
    splice @shown, SHOWN if @shown > SHOWN;
    my @changes = map { $_->{change} } @shown;
    my @rows = map {
        my $bar = [ 0, $_->{change}, $_->{change} > 0 ? 'k1' : 'k0' ];
        { name => $_->{name}, text => signed($_->{change}), bars => [$bar] }
    } @shown;
    return rows(
        caption => "Functions of a $run->{settings}{functions} that changed most. To the right: "
            . "$heads[1] executes more instructions in them.",
        scale   => number_scale(min(0, @changes), max(0, @changes), \&thousands),
        rows    => \@rows,
        words   => 'Instructions in QEMU, of one process',
        columns => [ 46, 17 ],
    );
}

1;
