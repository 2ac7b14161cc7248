package SpawnMeter::Options;

# The only table of options.  The parser, the checks and a test that compares it
# with the manual follow from it.
#
#   parse(arguments) -> { option => value, copies => [N ...], names => [...],
#                         pass_on => [...] }; dies with a message

use strict;
use warnings;
use Getopt::Long                 ();
use SpawnMeter::Util::DidYouMean qw(nearest);

# name => [ Getopt::Long's form, check or undef, what it must be, passed on? ]
my $WHOLE = qr/^[1-9]\d{0,8}$/;
my $NUMBER = qr/^\d{1,9}$/;
my $COUNT = qr/^[1-9]\d{0,14}$/;
my $SIZE = qr/^\d{1,15}(?:[.]\d+)?[kKmMgG]?$/;
my $SECONDS = qr/^(?=[\d.]*[1-9])\d{0,6}(?:[.]\d{1,6})?$/;

# Below this perl writes numbers as 9e-05, which the test programs do not read
use constant SLICE_MIN => 0.0001;
my %TABLE = (
    quiet      => ['q|quiet'],
    brief      => ['b|brief'],
    verbose    => ['v|verbose'],
    iterations => [ 'i|iterations=s', $WHOLE, 'a whole number above 0' ],
    copies     => [ 'c|copies=s@', qr/^[1-9]\d{0,4}$/, 'a whole number from 1 to 99999' ],
    classic    => ['classic'],
    settle     => ['settle'],
    quick      => ['quick'],
    precision  =>
        [ 'precision=s', sub { percent($_[0]) }, 'a percentage above 0 and below 100, like 3%' ],
    'max-time' => [ 'max-time=s', $SECONDS, 'a number of seconds above 0' ],
    slice      => [
        'slice=s',
        sub { $_[0] =~ $SECONDS && $_[0] >= SLICE_MIN },
        'a number of seconds, at least ' . SLICE_MIN
    ],
    seed             => [ 'seed=s', qr/^\d{1,9}$/, 'a whole number' ],
    pin              => ['pin'],
    'classic-tree'   => [ 'classic-tree=s', qr/./, 'a folder' ],
    baseline         => [ 'baseline=s', qr/./, 'a name or a file' ],
    csv              => ['csv'],
    html             => ['html'],
    ascii            => ['ascii'],
    syscalls         => ['syscalls'],
    limits           => ['limits'],
    markdown         => ['markdown'],
    json             => ['json'],
    sort             => ['sort'],
    'relative-to'    => [ 'relative-to=s', qr/./, 'the name of one of the runs' ],
    'fail-if-slower' => [
        'fail-if-slower=s',
        sub { percent($_[0]) },
        'a percentage above 0 and below 100, like 3%'
    ],
    'keep-going' => ['keep-going'],
    help         => ['h|help'],
    version      => ['version'],
    heap         => [ 'heap=s', $SIZE, 'a size: digits, then k, M, G or nothing', 1 ],
    hugepages    => [ 'hugepages', undef, undef, 1 ],
    dontfork     => [ 'dontfork', undef, undef, 1 ],
    mappings     => [ 'mappings=s', $NUMBER, 'a whole number', 1 ],
    files        => [ 'files=s', $NUMBER, 'a whole number', 1 ],
    threads      => [ 'threads=s', $NUMBER, 'a whole number', 1 ],
    libraries    => [ 'libraries=s', $NUMBER, 'a whole number', 1 ],
    environment  => [ 'environment=s', $SIZE, 'a size: digits, then k, M, G or nothing', 1 ],
    count        => [ 'count=s', $COUNT, 'a whole number above 0', 1 ],
    exec         => [ 'exec=s', qr/./, 'a path', 1 ],
    targets      => [ 'targets=s', $COUNT, 'a whole number above 0', 1 ],
    burst        => [ 'burst=s', $COUNT, 'a whole number above 0', 1 ],
    raw          => [ 'raw', undef, undef, 1 ],
);

sub percent {
    my ($text) = @_;
    return if $text !~ /^(\d{1,2}(?:[.]\d{1,4})?)%?$/ || $1 <= 0;
    return 1;
}

# The long names, for the manual's test
sub names { return sort keys %TABLE }

sub parse {
    my (@arguments) = @_;
    my ($target_arguments) = cut_at_double_dash(\@arguments);
    my $parser =
        Getopt::Long::Parser->new(config => [qw(bundling no_auto_abbrev no_ignore_case permute)]);
    my (%given, @complaints);
    local $SIG{__WARN__} = sub { push @complaints, $_[0] };
    local @ARGV = @arguments;
    $parser->getoptions(\%given, map { $_->[0] } values %TABLE) or die complaint(@complaints);
    my %option = map { $_ => value(\%given, $_) } grep { defined value(\%given, $_) } keys %TABLE;
    check($_, $option{$_}) for sort keys %option;
    check_together(\%option);
    $option{names} = [@ARGV];
    $option{pass_on} = [ pass_on(\%option) ];
    $option{target_arguments} = $target_arguments;
    return \%option;
}

# What follows a lone -- is for the target that the exec tests run
sub cut_at_double_dash {
    my ($arguments) = @_;
    for my $i (0 .. $#{$arguments}) {
        next if $arguments->[$i] ne q{--};
        my (undef, @rest) = splice @{$arguments}, $i;
        return \@rest;
    }
    return [];
}

# Getopt::Long stores a value under the first name of its form
sub value {
    my ($given, $name) = @_;
    my ($first) = $TABLE{$name}[0] =~ /^([\w-]+)/;
    return $given->{$first};
}

sub complaint {
    my (@complaints) = @_;
    my $text = join q{}, @complaints;
    if ($text =~ /Unknown option: ([\w-]+)/) {
        my $near = nearest($1, keys %TABLE);
        return
              "no option '$1'"
            . (defined $near ? "; did you mean --$near?" : q{})
            . " (./Run --help shows them)\n";
    }
    return lcfirst $text;
}

sub check {
    my ($name, $value) = @_;
    my (undef, $test, $wanted) = @{ $TABLE{$name} };
    return if !defined $test;
    for my $one (ref $value ? @{$value} : $value) {
        my $good = ref $test eq 'CODE' ? $test->($one) : $one =~ $test;
        die "--$name: '$one' is not $wanted\n" if !$good;
    }
    return;
}

sub check_together {
    my ($option) = @_;
    my @protocols = grep { $option->{$_} } qw(classic settle quick);
    die "--$protocols[0] and --$protocols[1]: only one of them\n" if @protocols > 1;
    my @forms = grep { $option->{$_} } qw(markdown csv json html);
    die "--$forms[0] and --$forms[1]: only one of them\n" if @forms > 1;
    die "--hugepages and --dontfork need --heap\n"
        if ($option->{hugepages} || $option->{dontfork}) && !defined $option->{heap};
    return;
}

# The options that change what the programs do, as the programs want them
sub pass_on {
    my ($option) = @_;
    my @list;
    for my $name (sort keys %TABLE) {
        next if !$TABLE{$name}[3] || !defined $option->{$name};
        push @list, "--$name", $TABLE{$name}[1] ? $option->{$name} : ();
    }
    return @list;
}

1;
