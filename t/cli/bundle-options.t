# SPDX-License-Identifier: GPL-2.0-or-later
# tools/bundle-options: what ./Run's options are for portable/run.sh.
use lib 't/lib';
use TestHelp;

# Options of ./Run, those of run.sh, and what is said
my @CASES = (
    [ '--quick'                          => '-r 7' ],
    [ '--max-time 2 -c 1 fork vfork'     => '-r 8 -c 1 fork vfork' ],
    [ '--max-time 0.5 --slice 0.5 spawn' => '-r 6 -s 0.5 spawn' ],
    [ '-i 9 --seed 0 -c 2-3,cpus pipe'   => '-r 9 -c 2 -c 3 -c cpus -S 1 pipe' ],
    [ '-q --label x fork'                => 'fork', 'the bundle does not have --label' ],
    [ 'fork shell8'                      => 'fork', 'the bundle does not have shell8' ],
    [ '--pin fork'                       => undef, 'the bundle does not have --pin' ],
    [ '-c half'                          => undef, 'the bundle does not have --copies half' ],
    [ 'sweep fork'                       => undef, 'the bundle does not have the command sweep' ],
    [ '--frok'                           => undef, q{unknown option '--frok'} ],
);
for my $case (@CASES) {
    my ($given, $wanted, $said) = @{$case};
    my $got = command({}, $^X, "$ROOT/tools/bundle-options", split q{ }, $given);
    is($got->{status}, defined $wanted                      ? 0       : 2, "$given: the status");
    is(join(q{ }, split /\n/, $got->{out}), defined $wanted ? $wanted : q{}, 'the options');
    my $message = defined $said ? qr/\A\Q$said\E/ : qr/\A\z/;
    like($got->{err}, $message, 'the message');
}
done_testing;
