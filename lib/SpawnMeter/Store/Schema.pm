package SpawnMeter::Store::Schema;

# What a stored run must look like, so that whatever reads it can rely on it.  Pure
# functions.
#
#   problem_of_run(data, thorough) -> what keeps it from being a run, with its place
#       ("passes[3].rate is no number"), or undef.  Not thorough: without what only
#       a whole report needs (CPU times, latencies, footprints).

use strict;
use warnings;
use Exporter 'import';
use List::Util   qw(sum);
use Scalar::Util qw(looks_like_number);

our @EXPORT_OK = qw(problem_of_run);

use constant {
    COPIES_MAX => 99_999,
    TEXT_MAX   => 100_000,
};

# Numbers as JSON has them; nothing that overflows, infinities or none
my $NUMBER = qr/^-?\d{1,18}(?:[.]\d{1,20})?(?:[eE][-+]?\d{1,2})?\z/;

sub is_number   { return defined $_[0] && !ref $_[0] && $_[0] =~ $NUMBER }
sub is_positive { return defined $_[0] && !ref $_[0] && $_[0] =~ $NUMBER && $_[0] > 0 }
sub is_text     { return defined $_[0] && !ref $_[0] && length $_[0] <= TEXT_MAX }
sub is_copies   { return defined $_[0] && !ref $_[0] && $_[0] =~ /^\d{1,5}\z/ }
sub is_truth    { return !ref $_[0] || ref($_[0]) =~ /Boolean\z/ }
sub is_status { return defined $_[0] && !ref $_[0] && $_[0] =~ /^(?:ok|failed|skipped)\z/ }
sub is_kind   { return defined $_[0] && !ref $_[0] && $_[0] =~ /^(?:run|equals|sweep|imported)\z/ }
sub is_scalar { return !defined $_[0] || is_text($_[0]) }
sub is_time   { return is_number($_[0]) && $_[0] >= 0 && $_[0] < 1e11 }

sub list_of {
    my ($check) = @_;
    return sub {
        return if ref $_[0] ne 'ARRAY';
        for my $v (@{ $_[0] }) { return if !$check->($v) }
        return 1;
    };
}

sub hash_of {
    my ($check) = @_;
    return sub {
        return if ref $_[0] ne 'HASH';
        for my $v (values %{ $_[0] }) { return if defined $v && !$check->($v) }
        return 1;
    };
}

sub is_sweep {
    my ($sweep) = @_;
    return if ref $sweep ne 'HASH' || grep { !is_text($sweep->{$_}) } qw(name title axis);
    return if grep {
        ref $sweep->{$_} ne 'ARRAY'
            || grep { !is_text($_) }
            @{ $sweep->{$_} }
    } qw(values series);
    return
           ref $sweep->{x} eq 'ARRAY'
        && @{ $sweep->{x} } == @{ $sweep->{values} }
        && !grep { defined && !is_number($_) } @{ $sweep->{x} };
}

my $TEXTS = list_of(\&is_text);

sub is_category {
    my ($c) = @_;
    return ref $c eq 'HASH' && is_text($c->{name}) && is_text($c->{title}) && $TEXTS->($c->{tests});
}

my $NUMBERS = list_of(sub { return !defined $_[0] || is_number($_[0]) });

sub numbers {
    my ($n) = @_;
    return sub { return $NUMBERS->($_[0]) && @{ $_[0] } == $n }
}
my $NUMBER_HASH = hash_of(\&is_number);

# name => [ check, what it must be, must it be there? ]
my @NUMERIC = (\&is_number, 'a number');
my %RESULT = (
    count      => [ sub { return is_number($_[0]) && $_[0] >= 0 }, 'a number', 1 ],
    timebase   => [ @NUMERIC, 1 ],
    time       => [ \&is_positive, 'a number above 0' ],
    iterations => [@NUMERIC],
    gate       => [@NUMERIC],
    creating   => [@NUMERIC],
    disturb    => [ $NUMBER_HASH, 'a set of numbers' ],
);
my %RESULT_WHOLE = (
    %RESULT,
    label     => [ \&is_text, 'a text' ],
    cpu       => [ numbers(4), 'four numbers' ],
    latency   => [ numbers(5), 'five numbers' ],
    footprint => [ numbers(4), 'four numbers' ],
    histogram => [
        sub {
            return
                   is_text($_[0])
                && $_[0] =~ /^[\d:;,]*\z/
                && $_[0] !~ /\d{16}/
                && $_[0] !~ /(?:^|;)(?!\d{1,5}:)[^;]/;
        },
        'a histogram'
    ],
    batches => [ \&is_text, 'a text' ],
);
my %PASS = (
    test    => [ \&is_text, 'a name', 1 ],
    copies  => [ \&is_copies, 'a number of copies', 1 ],
    status  => [ \&is_status, 'ok, failed or skipped', 1 ],
    reason  => [ \&is_text, 'a text' ],
    side    => [ \&is_text, 'a text' ],
    value   => [ \&is_text, 'a text' ],
    unit    => [ \&is_text, 'a text' ],
    wall    => [ @NUMERIC, 1 ],
    machine => [ $NUMBER_HASH, 'a set of numbers' ],
);
my %TEST = (
    name     => [ \&is_text, 'a name', 1 ],
    title    => [ \&is_scalar, 'a text' ],
    category => [ \&is_scalar, 'a text' ],
);
my %BLOCK = (
    copies  => [ \&is_copies, 'a number of copies', 1 ],
    started => [ \&is_time, 'a time' ],
    ended   => [ \&is_time, 'a time' ],
    cpus    => [@NUMERIC],
    map { $_ => [ \&is_text, 'a text' ] } qw(date from to),
);
my %PRINTED = (
    test   => [ \&is_text, 'a name', 1 ],
    title  => [ \&is_text, 'a text', 1 ],
    copies => [ \&is_copies, 'a number of copies', 1 ],
    rate   => [ \&is_positive, 'a number above 0', 1 ],
    (map { $_ => [ \&is_number, 'a number' ] } qw(rounding seconds samples baseline index)),
    (map { $_ => [ \&is_text, 'a text' ] } qw(unit category)),
);
my %RUN = (
    suite => [ \&is_text, 'a text', 1 ],
    kind  => [ \&is_kind, 'a kind of run' ],
    (map { $_ => [ \&is_text, 'a text' ] } qw(host command reason source name form)),
    started    => [ \&is_time, 'a time' ],
    options    => [ $TEXTS, 'a list of texts' ],
    build      => [ $TEXTS, 'a list of texts' ],
    notes      => [ $TEXTS, 'a list of texts' ],
    conditions => [ $TEXTS, 'a list of texts' ],
    protocol   => [ hash_of(\&is_text), 'a set of texts', 1 ],
    system     => [ hash_of(\&is_text), 'a set of texts', 1 ],
    (map { $_ => [ \&is_truth, 'true or false' ] } qw(complete unscored)),
    sweep      => [ \&is_sweep, 'a sweep' ],
    cost       => [ $NUMBER_HASH, 'a set of numbers' ],
    categories => [ list_of(\&is_category), 'a list of categories' ],
);
my %NUMERIC_PROTOCOL = map { $_ => 1 } qw(precision max_time slice warmup iterations pin seed);

# Undefined is as good as absent, but for what must be there
sub problem_of_hash {
    my ($data, $shape, $place) = @_;
    return "$place is no object" if ref $data ne 'HASH';
    for my $name (keys %{$shape}) {
        my ($check, $wanted, $required) = @{ $shape->{$name} };
        if (defined $data->{$name}) {
            return "$place.$name is not $wanted" if !$check->($data->{$name});
        } else {
            return "$place has no $name" if $required;
        }
    }
    return;
}

sub problem_of_list {
    my ($data, $shape, $place) = @_;
    return "$place is no list" if ref $data ne 'ARRAY';
    for my $i (0 .. $#{$data}) {
        my $problem = problem_of_hash($data->[$i], $shape, "$place\[$i]");
        return $problem if defined $problem;
    }
    return;
}

# Most passes of most runs are well-formed, and this sees it at once.  A reference
# among the values is no number.
sub plainly_good {
    my ($pass) = @_;
    no warnings 'uninitialized';   ## no critic (ProhibitNoWarnings) -- what is missing is no number
    return
        if ref $pass ne 'HASH' || ref $pass->{machine} ne 'HASH' || ref $pass->{results} ne 'ARRAY';
    return if "@{$pass}{qw(status copies test unit)}" !~ /^ok \d{1,5} [\w-]{1,40} \w{1,10}\z/;
    my @numbers = (@{$pass}{qw(rate wall)}, values %{ $pass->{machine} });
    for my $result (@{ $pass->{results} }) {
        return
               if ref $result ne 'HASH'
            || ref $result->{disturb} ne 'HASH'
            || !length $result->{timebase};
        return if $result->{time} <= 0 || $result->{count} < 0 || !length $result->{count};
        push @numbers, @{$result}{qw(count timebase time iterations)},
            values %{ $result->{disturb} };
    }
    my @known = grep { defined } @numbers;
    return if grep { ref || !looks_like_number($_) } @known;

    # nothing infinite, and no negative rate
    return sum(map { abs } @known) < 1e18 && $pass->{rate} > 0;
}

sub problem_of_pass {
    my ($pass, $place, $thorough) = @_;
    return if !$thorough && plainly_good($pass);
    my $problem = problem_of_hash($pass, \%PASS, $place);
    return $problem if defined $problem || $pass->{status} ne 'ok';
    return "$place.rate is not a number above 0" if !is_positive($pass->{rate});
    return if !defined $pass->{results};
    return problem_of_list($pass->{results}, $thorough ? \%RESULT_WHOLE : \%RESULT,
        "$place.results");
}

sub problem_of_run {
    my ($run, $thorough) = @_;
    my $problem = problem_of_hash($run, \%RUN, 'run');
    $problem = problem_of_list($run->{tests}, \%TEST, 'tests') if !defined $problem;
    $problem = problem_of_list($run->{blocks}, \%BLOCK, 'blocks') if !defined $problem;
    return $problem if defined $problem;
    for my $name (grep { defined $run->{protocol}{$_} } keys %NUMERIC_PROTOCOL) {
        return "protocol.$name is no number" if !is_number($run->{protocol}{$name});
    }
    for my $name (qw(cpus_online cpus_usable)) {
        my $value = $run->{system}{$name};
        return "system.$name is no number" if defined $value && !is_number($value);
    }
    $problem = problem_of_list($run->{printed}, \%PRINTED, 'printed') if defined $run->{printed};
    return $problem if defined $problem;
    return 'passes is no list' if ref $run->{passes} ne 'ARRAY';
    for my $i (0 .. $#{ $run->{passes} }) {
        $problem = problem_of_pass($run->{passes}[$i], "passes[$i]", $thorough);
        return $problem if defined $problem;
    }
    return;
}

1;
