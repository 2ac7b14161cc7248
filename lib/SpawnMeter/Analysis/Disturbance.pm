package SpawnMeter::Analysis::Disturbance;

# What disturbed a pass, from its instruments.  Pure functions.
#
#   flags(passes of one cell) -> one list of reasons for each pass, [] for none
#   sound(passes, their flags if they are known) -> the passes to judge by: the unflagged ones where there are
#                    at least 9, else all
#
# Two kinds of instruments (MEASURING in the manual): steal, throttling and
# suspension flag by themselves.  The others have a level that the test itself
# makes, so they flag only against the same cell's other passes: where one is
# more than Z standard deviations above the level of the quieter half of them.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Stats qw(disturbed_z);

our @EXPORT_OK = qw(flags sound SOUND_NEEDS);

use constant {
    SOUND_NEEDS => 9,      # unflagged passes, to leave the flagged ones out
    Z           => 5,      # standard deviations
    CONFIRMED   => 1.5,    # for what only confirms another
};

# name => [ what is said of a flag, least spread that counts, value of a pass ].
# The least spread keeps a flag from being raised by the resolution of a counter:
# ticks of 10 ms in a slice of 250 ms are 4 %.
my %RELATIVE = (
    busy     => [ 'other work on the machine', 0.06, sub { $_[0]{machine}{busy_elsewhere} } ],
    pressure => [ 'CPU pressure', 0.03, sub { $_[0]{machine}{cpu_pressure} } ],
    idle     => [
        'idle beside its CPU',
        0.03, sub { my $o = $_[0]{machine}{occupancy}; defined $o ? 1 - $o : undef }
    ],
    rundelay => [ 'waited for a CPU', 0.02, sub { per_time($_[0], 'rundelay_ns', 1e-9) } ],
    nivcsw   => [ 'involuntary switches', 0.02, sub { per_creation($_[0], 'nivcsw') } ],
);

# Pressure rises also where parent and child of the test itself wait for one CPU,
# now and then from 0.2 to 0.8 of a pinned pass, and so do involuntary switches
# where two processes of a test (context1) come to share a CPU: they flag only
# where the machine was also busier than else with other work.
my %CONFIRMED_BY = (pressure => 'busy', nivcsw => 'busy');

# name => [ what is said, the value above which it flags, value of a pass ]
my %ABSOLUTE = (
    steal     => [ 'CPU time stolen by the host', 0.01, sub { $_[0]{machine}{steal} } ],
    throttled => [ 'throttled by a cgroup quota', 0, sub { $_[0]{machine}{throttled} } ],
    suspended => [ 'the machine was suspended', 0, sub { per_time($_[0], 'suspended_ns', 1e-9) } ],
);

# Largest value among the copies of a pass, per second of its time; undef where
# no copy could tell
sub per_time {
    my ($pass, $key, $unit) = @_;
    my $most;
    for my $copy (@{ $pass->{results} || [] }) {
        my $value = $copy->{disturb}{$key};
        next if !defined $value || !$copy->{time};
        $value *= $unit / $copy->{time};
        $most = $value if !defined $most || $value > $most;
    }
    return $most;
}

# Likewise, per creation
sub per_creation {
    my ($pass, $key) = @_;
    my $most;
    for my $copy (@{ $pass->{results} || [] }) {
        my $value = $copy->{disturb}{$key};
        my $turns = $copy->{iterations} || $copy->{count};
        next if !defined $value         || !$turns;
        $value /= $turns;
        $most = $value if !defined $most || $value > $most;
    }
    return $most;
}

# { number of a pass => its distance above the level, in standard deviations } for
# the passes whose value is known; empty where they are under 3
sub levels {
    my ($passes, $least, $value) = @_;
    my @values = map { scalar $value->($_) } @{$passes};
    my @known = grep { defined $values[$_] } 0 .. $#values;
    return {} if @known < 3;
    my @z = disturbed_z($least, @values[@known]);
    return { map { $known[$_] => $z[$_] } 0 .. $#known };
}

sub flags {
    my ($passes) = @_;
    my @reasons = map { [] } @{$passes};
    for my $name (sort keys %ABSOLUTE) {
        my ($words, $limit, $value) = @{ $ABSOLUTE{$name} };
        for my $i (0 .. $#{$passes}) {
            my $v = $value->($passes->[$i]);
            push @{ $reasons[$i] }, $words if defined $v && $v > $limit;
        }
    }
    my %z = map { $_ => levels($passes, @{ $RELATIVE{$_} }[ 1, 2 ]) } keys %RELATIVE;
    for my $name (sort keys %RELATIVE) {
        for my $i (keys %{ $z{$name} }) {
            next if $z{$name}{$i} <= Z;
            my $witness = $CONFIRMED_BY{$name};
            next
                if defined $witness && (!defined $z{$witness}{$i} || $z{$witness}{$i} <= CONFIRMED);
            push @{ $reasons[$i] }, $RELATIVE{$name}[0];
        }
    }
    return @reasons;
}

sub sound {
    my ($passes, $known) = @_;
    my @reasons = $known ? @{$known} : flags($passes);
    my @sound = map { $passes->[$_] } grep { !@{ $reasons[$_] } } 0 .. $#reasons;
    return @sound >= SOUND_NEEDS ? \@sound : $passes;
}

1;
