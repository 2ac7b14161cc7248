package SpawnMeter::Catalog::Sweeps;

# Sweeps: one thing varied over values.  Pure functions, but for reading the list.
#
#   load(file) -> [ { name, title, axis, tests => [words], option, values => [words] } ]
#       dies with file and line of a malformed one
#   cells(sweep, catalogue's tests, CPUs to use) -> cells for SpawnMeter::Measure::Loop, each
#       with `value` (its label) and `series` (its test, with the options that are its
#       own); and the head of the run:
#       { name, title, axis, values => [labels], series => [names], x => [numbers or
#         undef] }
#   points(run) -> { series => { label => result of SpawnMeter::Analysis::Results, with time_us,
#       time_low and time_high: microseconds of an iteration, of all copies
#       together } } }
#   size(text) -> bytes of 10M and the like, a number, or undef

use strict;
use warnings;
use Exporter 'import';
use List::Util                    qw(first);
use SpawnMeter::Util::DidYouMean  qw(nearest);
use SpawnMeter::Analysis::Results qw(results);

our @EXPORT_OK = qw(load cells points size named);

sub load {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    my @sweeps;
    while (my $line = <$in>) {
        next if $line =~ /^\s*(?:#|$)/;
        die "$file, line $.: a character that cannot be printed\n"
            if $line =~ /[\x00-\x08\x0b-\x1f\x7f]/;
        my @fields = map { s/^\s+|\s+$//gr } split /\|/, $line, -1;
        die
            "$file, line $.: a sweep has six fields: name | title | axis | tests | options | values\n"
            if @fields != 6;
        my ($name, $title, $axis, $tests, $option, $values) = @fields;
        die "$file, line $.: '$name' is no name: letters, digits, hyphen\n"
            if $name !~ /^[a-z][\w-]*\z/;
        die "$file, line $.: there is a sweep '$name' already\n"
            if grep { $_->{name} eq $name } @sweeps;
        die "$file, line $.: no tests or no values\n" if $tests !~ /\S/ || $values !~ /\S/;
        push @sweeps,
            {
            name   => $name,
            title  => $title,
            axis   => $axis,
            option => $option,
            tests  => [ split q{ }, $tests ],
            values => [ split q{ }, $values ]
            };
    }
    close $in or die "$file: $!\n";
    die "$file: no sweep in it\n" if !@sweeps;
    return \@sweeps;
}

sub named {
    my ($sweeps, $name, @more) = @_;
    my $sweep = first { $_->{name} eq $name } @{$sweeps};
    return $sweep if $sweep;
    my $near = nearest($name, @more, map { $_->{name} } @{$sweeps});
    die "no sweep '$name'"
        . (defined $near ? "; did you mean '$near'?" : q{})
        . " ('./Run list' shows them)\n";
}

my %UNIT = (k => 1024, m => 1024**2, g => 1024**3);

sub size {
    my ($text) = @_;
    return if $text !~ /^(\d{1,15}(?:[.]\d+)?)([kKmMgG]?)\z/;
    return $1 * (length $2 ? $UNIT{ lc $2 } : 1);
}

# What one cell is made of: its options, and how it is placed
sub placed {
    my (@words) = @_;
    my %cell = (options => [], arguments => undef);
    while (@words) {
        my $word = shift @words;
        if    ($word eq q{--})                        { $cell{arguments} = [@words]; last }
        elsif ($word eq '@static')                    { $cell{static} = 1 }
        elsif ($word =~ /^\@(free|pinned)\z/)         { $cell{pinned} = $1 eq 'pinned' ? 1 : 0 }
        elsif ($word =~ /^\@copies=([1-9]\d{0,3})\z/) { $cell{copies} = $1 + 0 }
        else                                          { push @{ $cell{options} }, $word }
    }
    return \%cell;
}

sub cells {
    my ($sweep, $tests, $cpus) = @_;
    my %test = map { $_->{name} => $_ } @{$tests};
    my %number = (CPUS => $cpus, TWICE => 2 * $cpus);
    my (@cells, @labels, @series, @x, %seen);
    for my $value (@{ $sweep->{values} }) {
        my ($label, $words) = split /=/, $value, 2;
        $words = $label if !defined $words;
        s/\b(CPUS|TWICE)\b/$number{$1}/g for $label, $words;
        next if $seen{"value $label"}++;
        push @labels, $label;

        # a label that stands for options is a name, even if it is a number
        push @x, $value =~ /=/ ? undef : scalar size($label);
        for my $wanted (@{ $sweep->{tests} }) {
            my ($name, $own) = split /:/, $wanted, 2;
            my $test = $test{$name}
                or die "the sweep $sweep->{name} wants a test '$name', which is not there\n";
            my @own = split /,/, defined $own ? $own : q{};
            my $series = join q{ }, $name, @own;
            push @series, $series if !$seen{"series $series"}++;
            my @words = map { $_ eq 'VALUE' ? split(/,/, $words) : $_ } split q{ },
                $sweep->{option};
            my $placed = placed(@words);
            push @cells,
                {
                %{$test},
                test   => $series,
                series => $series,
                value  => $label,
                title  => "$series, $label",
                copies => 1,
                pinned => 1,
                %{$placed},
                options   => [ @{ $test->{options} }, @own, @{ $placed->{options} } ],
                arguments => $placed->{arguments} || $test->{arguments},
                };
        }
    }
    my %head = (
        (map { $_ => $sweep->{$_} } qw(name title axis)),
        values => \@labels,
        series => \@series,
        x      => \@x
    );
    return (\@cells, \%head);
}

# One result for each series and value, from the run's passes
sub points {
    my ($run) = @_;
    my (%of, %point);
    push @{ $of{ defined $_->{value} ? $_->{value} : q{} } }, $_ for @{ $run->{passes} };
    for my $label (keys %of) {
        for my $r (@{ results({ %{$run}, passes => $of{$label} }) }) {

            # of N copies at once each takes N times as long as one in the rate of all
            @{$r}{qw(time_us time_low time_high)} =
                map { defined && $_ > 0 ? 1e6 / $_ : undef } @{$r}{qw(rate high low)};
            $point{ $r->{test} }{$label} = $r;
        }
    }
    return \%point;
}

1;
