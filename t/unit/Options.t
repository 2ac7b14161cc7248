# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnMeter::Options;

# The manual and the table list the same options
my $manual = slurp_file("$ROOT/Run");
my ($section) = $manual =~ /^=head1 OPTIONS(.*?)^=head1 MEASURING/ms;
my %described = map { $_ => 1 } $section =~ /^=item [^\n]*B<--([\w-]+)>/mg;
is_deeply(
    [ sort keys %described ],
    [ SpawnMeter::Options::names() ],
    'every option is described, and no other'
);

# One table: spellings that mean the same
for my $same (
    [ [qw(-c 4 -c 8)], [qw(-c4 --copies 8)], [qw(--copies=4 -c 8)] ],
    [ [qw(-q fork)], [qw(fork -q)], [qw(--quiet fork)] ],
    [ [qw(--heap 1M)], [qw(--heap=1M)] ],
) {
    my ($first, @others) = map { SpawnMeter::Options::parse(@{$_}) } @{$same};
    is_deeply($_, $first, "@{ $same->[0] }") for @others;
}
my $o =
    SpawnMeter::Options::parse(qw(forkexec --exec /bin/sh --count 5 -- -c), 'exit 0', '--', '-q');
is_deeply(
    $o->{target_arguments},
    [ '-c', 'exit 0', '--', '-q' ],
    'what follows -- is the target\'s'
);
is_deeply($o->{pass_on}, [ '--count', 5, '--exec', '/bin/sh' ], 'what the programs are given');
is_deeply($o->{names}, ['forkexec'], 'names');

my @bad = (
    [ [qw(-c 0)]                      => qr/--copies: '0' is not/ ],
    [ [qw(-c -1)]                     => qr/--copies: '-1' is not/ ],
    [ [qw(-c abc)]                    => qr/--copies: 'abc' is not/ ],
    [ [qw(-c 1e99)]                   => qr/--copies: '1e99' is not/ ],
    [ [qw(-i 0)]                      => qr/--iterations: '0' is not/ ],
    [ [qw(--precision 0)]             => qr/--precision: '0' is not a percentage/ ],
    [ [qw(--precision 200%)]          => qr/--precision: '200%' is not a percentage/ ],
    [ [qw(--max-time -1)]             => qr/--max-time: '-1' is not/ ],
    [ [qw(--max-time 0)]              => qr/--max-time: '0' is not/ ],
    [ [qw(--max-time 0.0)]            => qr/--max-time: '0.0' is not/ ],
    [ [qw(--slice 1e99)]              => qr/--slice: '1e99' is not/ ],
    [ [qw(--seed x)]                  => qr/--seed: 'x' is not/ ],
    [ [qw(--heap 99999999999999999G)] => qr/--heap: .* is not a size/ ],
    [ [qw(--heap -1M)]                => qr/--heap: '-1M' is not a size/ ],
    [ [qw(--count 0)]                 => qr/--count: '0' is not/ ],
    [ [qw(--precison 3)]              => qr/no option 'precison'; did you mean --precision/ ],
    [ [qw(--dontfork)]                => qr/need --heap/ ],
    [ [qw(--quick --classic)]         => qr/--classic and --quick: only one/ ],
    [ [qw(--heap)]                    => qr/requires an argument/ ],
);
for my $case (@bad) {
    my ($arguments, $message) = @{$case};
    eval { SpawnMeter::Options::parse(@{$arguments}) };
    like($@, $message, "@{$arguments}");
}
done_testing;
