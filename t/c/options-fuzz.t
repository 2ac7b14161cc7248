# SPDX-License-Identifier: GPL-2.0-or-later
# Random command lines: each is measured or refused, with a message and a documented exit
# status; no program crashes or hangs.  The seed is fixed; set FUZZ=N for more lines (make
# check-sanitize: 500, make check-long: 10,000) and FUZZ_SEED for others.
use lib 't/lib';
use TestHelp;
use TestPrograms;

my $times = $ENV{FUZZ} || 100;
srand($ENV{FUZZ_SEED} || 1983);
my $programs = $ENV{SANITIZED} || "$ROOT/pgms";    # make check-sanitize has others
my @names = map { m{/([^/]+)[.]c\z} } glob "\Q$ROOT\E/src/*.c";

# What each takes, by its help, without what waits for half a minute; and those that have a value
my (%takes, %valued);
for my $name (@names) {
    my @found = command({}, "$programs/$name", '--help')->{out} =~ /^  (--[\w-]+)( [A-Z]|)/mg;
    while (my ($option, $value) = splice @found, 0, 2) {
        next if $option =~ /^--(?:prime|pause)$/;
        push @{ $takes{$name} }, $option;
        $valued{$option} = length $value;
    }
}
my @options = ('--nonsense', sort keys %valued);
my @values = (
    0, 1, 2, 3,
    17, '1k', '3M', '0.5',
    '1e3', '-1', '-0', '+1',
    q{ 1}, '1 ', q{}, q{.},
    '1.', '.5', '1..2', 'k',
    '1kk', '1G', '900G', '99999999999G',
    '1000000000000000', '18446744073709551616', '9' x 50, '9' x 400,
    'nan', 'inf', '0x10', "1\n",
    "1\0" . "2", "\xff\xfe", '%s%n', '$(x)',
    'true-nolibc', '/bin/true', '/nonexistent', '/',
    'A' x 5000, '1,2', '9999,9999', '-',
    '--', '0.02'
);

my $folder = scratch();

# what ends by itself soon, whatever else is asked for
my %most = (
    targets   => 50,
    threads   => 200,
    spawners  => 50,
    burst     => 5000,
    mappings  => 5000,
    libraries => 64,
    files     => 5000,
    blocks    => 4000,
    count     => 200
);

my %fitting = (
    by             => [qw(fork vfork posix_spawn execve)],
    cpu            => [ 0, 1 ],
    exec           => [ '/bin/true', 'true-nolibc', '/nonexistent', '/' ],
    warmup         => [ 0, '0.01' ],
    heap           => [qw(1 100k 3M 0.5M 900G)],
    environment    => [qw(0 1 100 200k 2G)],
    buffer         => [qw(1 512 1k 4k 1M 3)],
    gate           => [ '9,10', '0,1' ],
    'cgroup-procs' => [ 'v2', 'none', 'x', 'v2,none', 'v2,,' ],
    namespaces     => [ 'user', 'pid', 'all', 'user,net+uts', 'x', 'user,,' ]
);

# Half of the values fit, or nearly
sub line {
    my ($name) = @_;
    my @line;
    for (1 .. 1 + int rand 3) {
        my $option =
            rand() < 0.75 ? $takes{$name}[ rand @{ $takes{$name} } ] : $options[ rand @options ];
        my ($word) = $option =~ /--(.*)/;
        my $value = $values[ rand @values ];
        if (rand() < 0.6) {
            $value =
                $fitting{$word} ? $fitting{$word}[ rand @{ $fitting{$word} } ] : 1 + int rand 20;
        }

        # a number that could be had would be made, and take its time (a count of any
        # size that fits 64 bits can be had)
        my $digits = $word eq 'count' ? 19 : 8;
        $value = 1 + int rand 50
            if $most{$word}
            && $value =~ /^\d+$/
            && length $value <= $digits
            && $value > $most{$word};
        my $flag = !$valued{$option} && rand() < 0.95;
        push @line,
              $flag        ? $option
            : rand() < 0.2 ? "$option=$value"
            : ($option, rand() < 0.95 ? $value : ());
    }
    push @line, $values[ rand @values ] if rand() < 0.1;
    push @line, q{--}, 'x' if rand() < 0.05;
    return @line;
}

my (@trouble, %seen);
my $in = "$folder/tmp";
mkdir $in;
for my $turn (1 .. $times) {
    my $name = $names[ rand @names ];
    my @line = map { s/\0.*//rs } ('--warmup', 0, '--count', 2, line($name));
    my $spelt = join q{ }, $name, map { length > 60 ? substr($_, 0, 60) . '...' : $_ }
        map { s/([^ -~])/sprintf '\\x%02x', ord $1/ger } @line;

    # (LeakSanitizer and idle threads: see t/sanitize/programs.t)
    my $got = command(
        {
            env => {
                UB_BINDIR => $programs,
                UB_TMPDIR => "$in",
                "@line" =~ /threads/ ? (ASAN_OPTIONS => 'detect_leaks=0') : ()
            },
            before => sub { alarm 300 }
        },
        "$programs/$name",
        @line
    );
    $seen{ $got->{status} }++;
    my $why =
          $got->{status} == 142                             ? 'timed out'
        : $got->{status} !~ /^(?:0|1|2|77)\z/               ? "status $got->{status}"
        : $got->{status} != 0 && $got->{err} !~ /\S/        ? 'no message'
        : $got->{status} == 1 && $got->{err} !~ /^ERROR\|/m ? 'no ERROR line'
        : $got->{status} == 77 && $got->{err} !~ /^SKIP\|/m ? 'no SKIP line'
        : $got->{status} == 0 && $got->{out} eq q{} && $got->{err} !~ /^COUNT\|[1-9]/m ? 'no result'
        : "$got->{out}$got->{err}" =~ /(\w+Sanitizer.*|runtime error.*)/               ? $1
        :                                                                                undef;
    push @trouble, "$spelt: $why: " . substr $got->{err}, 0, 300 if defined $why;
    last if @trouble > 5;
}
is_deeply(
    \@trouble, [],
    "$times command lines: " . join ', ',
    map { "status $_: $seen{$_}" } sort { $a <=> $b } keys %seen
);
cmp_ok($seen{0} || 0, '>', $times / 8, 'some were measured') if $times >= 100;
cmp_ok($seen{2} || 0, '>', $times / 50, 'some were refused') if $times >= 100;

# Command lines that once failed
for my $once (
    [qw(system --resume 1 --count 2)], [ 'pipe', '--gate', '1,2', 9 ],
    [ 'pipe', '--gate', '99999999999,3', 9 ], [qw(fork --count 0 0)],
    [qw(filecopy --buffer 0 1)]
) {
    my ($name, @line) = @{$once};
    my $got = command({ before => sub { alarm 300 } }, "$programs/$name", @line);
    says($got, qr/^\Q$name\E: \S.*\nusage: /, "@{$once}: refused");
}
is_deeply([ names_in($in) ], [], 'no temporary file is left');
done_testing;
