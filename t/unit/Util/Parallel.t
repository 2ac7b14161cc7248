# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::Parallel qw(in_parallel);

my $own = $$;

sub twice {
    my ($item) = @_;
    die "no $item\n" if $item eq 'bad';
    kill KILL => $$ if $item eq 'killed' && $$ != $own;
    return { item => $item x 2, pid => $$ };
}

subtest 'one process' => sub {
    my @results = in_parallel(1, \&twice, qw(a bad c));
    is($results[0]{value}{pid}, $own, 'is this one');
    is($results[1]{error}, "no bad\n", 'a message');
    is($results[2]{value}{item}, 'cc', 'the next item');
};

subtest 'several processes' => sub {
    my @items = (1 .. 50, 'bad', 'x' x 200_000);
    my @results = in_parallel(3, \&twice, @items);
    is_deeply(
        [ map { defined $_->{value} ? $_->{value}{item} : $_->{error} } @results ],
        [ (map { $_ x 2 } 1 .. 50), "no bad\n", 'x' x 400_000 ],
        'results and messages in the order of the items'
    );
    my %pid = map { $_->{value}{pid} => 1 } grep { $_->{value} } @results;
    is(scalar keys %pid, 3, 'as many as were asked for');
    is(waitpid(-1, 0), -1, 'no process is left');
    my @killed = in_parallel(2, \&twice, 'a', 'killed', 'c', 'd');
    is_deeply(
        [ map { $_->{error} } @killed ],
        [ (undef, "a process that reads runs was killed\n") x 2 ],
        'a process that is killed: its results are missing, and a message says so'
    );
    is_deeply([ in_parallel(4, \&twice) ], [], 'no items');
};
done_testing;
