# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Experiments;

# The published experiments: a file for each in published, whose lines docs/formats.md describes.
#
#   names(root of the suite) -> [names], sorted; files are not read
#   named(root, name or path of a file) -> experiment, or undef where there is none; dies with why
#   list(root) -> (experiments); a malformed one is { name, problem => message }
#   cells(experiment, tests of the catalog, CPUs to use) -> (cells, sweep record)
#
# An experiment: { name, title, about => [ [keyword, words] ], machines => [names], needs => [ "4
#   CPUs", or a system ], parts => [ { name ('' of the only one), title, axis, quantity, measures =>
#   [ { tests, option, values } ] } ], figures => { "label series" => { machine => [microseconds] }
#   }, also => [ [fields] ], claims => [ { words } or, where it is judged, { kind => ratio or slope,
#   words, from, to => points { series, label }, low, high => ends of what agrees or undef, quoted
#   => how the source has it or undef, needs } ] }; a label in a part with a name is "part label"

use strict;
use warnings;
use SpawnMeter::Analysis::Quantity qw(quantities);
use SpawnMeter::Catalog::Sweeps    ();
use SpawnMeter::Util::File         qw(each_line);

my $NUMBER = qr/\d{1,12}(?:[.]\d{1,9})?/;
my $POINT = qr/\S+(?: +\S+){1,2}/;
my $NEED = qr/[1-9]\d{0,4} CPUs|Linux|macOS|FreeBSD|NetBSD/a;
my $NEEDS = '4 CPUs, Linux, macOS ...';
my $QUANTITY = join '|', quantities();
my %UNIT = (ns => 1e-3, us => 1, ms => 1e3, s => 1e6);

# keyword => [its fields, sub (experiment, fields, keyword), which dies with what is wrong]
my %LINE = (
    title => [ 'WORDS', sub { $_[0]{title} = $_[1] } ],
    (map { ($_ => [ 'WORDS', \&add_about ]) } qw(source address unclear note)),
    needs    => [ 'NEED', sub { push @{ $_[0]{needs} }, one_of($_[1], $NEED, $NEEDS) } ],
    machine  => [ 'NAME | WORDS', \&add_machine ],
    part     => [ 'NAME | TITLE', \&add_part ],
    axis     => [ 'WORDS', sub { $_[0]{parts}[-1]{axis} = $_[1] } ],
    quantity => [ 'NAME', sub { $_[0]{parts}[-1]{quantity} = one_of($_[1], $QUANTITY) } ],
    measure  => [ 'TESTS | OPTIONS | VALUES', \&add_measure ],
    figure   => [ 'MACHINE | TEST | VALUE | AMOUNT', \&add_figure ],
    also     => [ 'WORDS | AMOUNT ...', sub { push @{ $_[0]{also} }, [ @_[ 1 .. $#_ - 1 ] ] } ],
    claim    => [ 'WORDS', sub { push @{ $_[0]{claims} }, { words => $_[1] } } ],
    map { ($_ => [ 'CLAIM', \&add_judged ]) } qw(ratio slope)
);

sub names {
    my ($root) = @_;
    return [ map { m{([^/]+)[.]txt\z} } sort glob "\Q$root\E/published/*.txt" ];
}

sub named {
    my ($root, $name) = @_;
    my $path = $name =~ m{/} ? $name : "$root/published/$name.txt";
    return if !-f $path;
    my ($own) = $path =~ m{([\w.-]{1,40})[.]txt\z}a;
    die "$path: expected a file NAME.txt, NAME not explain\n" if !$own || $own eq 'explain';
    my %experiment = (name => $own, figures => {});
    $experiment{$_} = [] for qw(about machines needs also claims);
    $experiment{parts} = [ { name => q{}, axis => 'way' } ];
    each_line($path, sub { add_line(\%experiment, $_[0]) });
    die "$path: expected a line 'title', found none\n" if !defined $experiment{title};
    $experiment{parts} = [ grep { $_->{measures} } @{ $experiment{parts} } ];
    return \%experiment;
}

sub list {
    my ($root) = @_;
    return map {
        eval { named($root, $_) }
            || { name => $_, problem => $@ }
    } @{ names($root) };
}

sub add_line {
    my ($experiment, $line) = @_;
    my ($key, $value) = $line =~ /^\s*(\S+)\s*(.*)/;
    die 'expected one of ' . join(', ', sort keys %LINE) . ", found '$key'\n" if !$LINE{$key};
    die "expected a value after '$key', found the end of the line\n" if !length $value;
    my ($form, $add) = @{ $LINE{$key} };
    my ($number, @fields) = (scalar(() = $form =~ /[|]/g), $value);
    @fields = map { s/^\s+|\s+$//gr } split /[|]/, $value, -1 if $number;
    die "expected $form, found '$value'\n"
        if $form =~ /[.]{3}/ ? $#fields < $number : $#fields != $number;
    return $add->($experiment, @fields, $key);
}

sub one_of {
    my ($text, $pattern, $expected) = @_;
    die 'expected ' . ($expected // $pattern) . ", found '$text'\n" if $text !~ /^(?:$pattern)\z/;
    return $text;
}

sub add_about {
    my ($experiment, $words, $keyword) = @_;
    return push @{ $experiment->{about} }, [ ucfirst $keyword, $words ];
}

sub add_machine {
    my ($experiment, $name, $words) = @_;
    push @{ $experiment->{machines} }, $name;
    push @{ $experiment->{about} }, [ $name, $words ];
    return;
}

# Adds a part, in place of the part without a name, which only a file without parts has.
sub add_part {
    my ($experiment, $name, $title) = @_;
    my @named = grep { length $_->{name} } @{ $experiment->{parts} };
    die "expected parts before all that is measured, with names of their own, found '$name'\n"
        if !@named && $experiment->{parts}[0]{measures} || grep { $_->{name} eq $name } @named;
    $experiment->{parts} = [ @named, { name => $name, title => $title, axis => 'way' } ];
    return;
}

sub add_measure {
    my ($experiment, $tests, $option, $values) = @_;
    my ($part, @tests) = ($experiment->{parts}[-1], split q{ }, $tests);
    push @{ $part->{measures} },
        { tests => \@tests, option => $option, values => [ split q{ }, $values ] };
    for my $label (map { s/=.*//r } split q{ }, $values) {
        $part->{measured}{"$_ $label"} = 1 for @tests;
    }
    return;
}

sub cells {
    my ($experiment, $tests, $cpus) = @_;
    my @parts = @{ $experiment->{parts} } or return ([], undef);
    my %sweep = length $parts[0]{name} ? (parts => \@parts) : %{ $parts[0] };
    @sweep{qw(name title)} = @{$experiment}{qw(name title)};
    return SpawnMeter::Catalog::Sweeps::cells(\%sweep, $tests, $cpus);
}

# "fork 1G", or "PART fork 1G" of another part than the one above -> { series, label, quantity }
sub point {
    my ($experiment, $text) = @_;
    my ($label, $test, $name) = reverse split q{ }, $text;
    my ($part) = grep { !defined $name || $_->{name} eq $name } reverse @{ $experiment->{parts} };
    die "expected a test and a value that are measured above, found '$text'\n"
        if !$part || !$part->{measured}{"$test $label"};
    $label = "$part->{name} $label" if length $part->{name};
    return { series => $test, label => $label, quantity => $part->{quantity} || 'time' };
}

sub add_figure {
    my ($experiment, $machine, $test, $label, $amount) = @_;
    die "expected a machine that is named above, found '$machine'\n"
        if !grep { $_ eq $machine } @{ $experiment->{machines} };
    my $point = point($experiment, "$test $label");
    push @{ $experiment->{figures}{"$point->{label} $test"}{$machine} }, microseconds($amount);
    return;
}

# -> microseconds of one creation
sub microseconds {
    my ($text) = @_;
    my ($number, $unit, $creations) =
        $text =~ m{^($NUMBER) ?(?:([num]?s)(?:/([1-9]\d{0,8}))?|/s)\z}a;
    die "expected an amount above 0 such as 1.23 ms, 4.07 s/10000 or 411 /s, found '$text'\n"
        if !$number || $number == 0;
    return defined $unit ? $number * $UNIT{$unit} / ($creations || 1) : 1e6 / $number;
}

# "fork 1G / fork 0 > 2", "fork 1G / fork 0 = 1 within 20 %", "fork 0 .. fork 1G > 1 ms"
sub add_judged {
    my ($experiment, $value, $kind) = @_;
    my ($words, $quoted, $need) =
        $value =~ /^(.*?)(?: [|] published ([^|]+?))?(?: [|] needs ($NEED))?\z/;
    my $sign = $kind eq 'ratio' ? '/' : '..';
    my ($x, $y, $relation, $limit, $share) = $words =~
        m{^($POINT) \Q$sign\E ($POINT) ([<>=]) ($NUMBER(?: [num]?s)?)(?: within (\d\d?) %)?\z}a;
    die "expected A $sign B > NUMBER, < NUMBER or = NUMBER within N %,"
        . " and perhaps | published WORDS, | needs 4 CPUs, found '$value'\n"
        if !defined $x || ($relation eq '=') != defined $share;
    $limit = $kind eq 'slope' ? microseconds($limit) : one_of($limit, $NUMBER, 'a number');
    my @points = map { point($experiment, $_) } $x, $y;
    @points = reverse @points if $kind eq 'ratio' && $points[0]{quantity} ne 'rate';
    my %claim = (kind => $kind, words => $words, quoted => $quoted, needs => [ $need || () ]);
    @claim{qw(from to)} = @points;
    $claim{low} = $limit * (1 - ($share || 0) / 100) if $relation ne '<';
    $claim{high} = $limit * (1 + ($share || 0) / 100) if $relation ne '>';
    push @{ $experiment->{claims} }, \%claim;
    return;
}

1;
