# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::Published;
use SpawnMeter::Analysis::Published::Dillon       qw(dillon);
use SpawnMeter::Analysis::Published::Figures      qw(figures);
use SpawnMeter::Analysis::Published::LinuxWindows qw(linux_windows);
use SpawnMeter::Analysis::Published::Tlpi         qw(tlpi);

my @warnings;
local $SIG{__WARN__} = sub { push @warnings, @_ };

# Nine passes of a cell, of so many microseconds each
sub passes {
    my ($label, $test, $us, %copy) = @_;
    return map { {
        test    => $test,
        value   => $label,
        copies  => 1,
        status  => 'ok',
        rate    => 1e6 / ($us + $_ / 1000),
        results => [ {
            count     => 5000,
            time      => 5000 * $us / 1e6,
            cpu       => [ 0.1, 0.2, 0.3, 0.4 ],
            footprint => [ 2048, 1024, 52, 4 ],
            %copy
        } ]
    } } -4 .. 4;
}

sub run_of { return { passes => [@_] } }

sub two_decimals {
    return map { defined $_ ? sprintf('%.2f', $_) : undef } @_;
}

subtest 'figures of a run' => sub {
    my @bad = map { (passes('x', 'fork', 50, %{$_}))[0] } { count => 0 }, { time => undef },
        { cpu => [ 1, undef, 1, 1 ] };
    my ($failed, $two_copies) = passes('x', 'fork', 50);
    $failed->{status} = 'failed';
    push @{ $two_copies->{results} }, $two_copies->{results}[0];
    my ($plain) = passes('x', 'fork', 50);
    delete $plain->{value};
    my $found = figures(run_of(@bad, $failed, $two_copies, $plain, passes('x', 'fork', 50)));
    is_deeply(
        [ map { "$_: " . @{ $found->{$_} } } sort keys %{$found} ],
        [ ' fork: 1', 'x fork: 9' ],
        'of good passes of one copy'
    );
    is_deeply(
        [ @{ $found->{'x fork'}[0] }{qw(count vsz_mb cpu)} ],
        [ 5000, 2, [ 0.1, 0.2, 0.3, 0.4 ] ],
        'their parts'
    );
    is_deeply(
        SpawnMeter::Analysis::Published::forms(),
        [qw(dillon linux-windows tlpi)],
        'the forms that have code'
    );
};

subtest 'Table 28-3 of The Linux Programming Interface' => sub {
    my @methods = qw(fork vfork clone fork+exec vfork+exec);
    my @rows = map {
        my $vsz = $_;
        map { { vsz_mb => $vsz, method => $_, elapsed_s => 20, cpu_s => 10, rate => 5000 } }
            @methods
    } 1.7, 2.7, 11.7;
    my %us = ('base fork' => 50, '+10M fork' => 100);
    my @passes = map { passes((split), $us{$_}) } sort keys %us;
    my $found = tlpi(run_of(@passes), { table => { rows => \@rows } });
    is_deeply(
        [ map { @{$_}{qw(label book here)} } @{ $found->{sizes} } ],
        [ 'base', 1.7, 2, '+1M', 2.7, undef, '+10M', 11.7, 2 ],
        'sizes, with their VSZ in MB'
    );
    my ($fork, @others) = @{ $found->{sizes}[0]{rows} };
    is(scalar @others, 4, 'a row for each method');
    is_deeply(
        [ two_decimals(@{ $fork->{here} }{qw(elapsed cpu rate)}) ],
        [ '5.00', '6.00', '20000.00' ],
        'seconds for 100,000 creations, and the rate'
    );
    is_deeply(
        [ two_decimals(@{ $fork->{times_faster} }{qw(elapsed cpu rate)}) ],
        [ '4.00', '1.67', '4.00' ],
        'how many times faster'
    );
    is($found->{sizes}[1]{rows}[0]{here}, undef, 'a cell that was not measured');
    is($found->{runs}, 9, 'passes of a cell');
};

subtest 'fork speed vs /bin/sh, 2003' => sub {
    my %reference = (
        table => {
            rows => [
                {
                    method  => 'vfork+exec',
                    sh      => 'static',
                    user_s  => 1,
                    sys_s   => 2,
                    elapsed => '0:05.0'
                },
                {
                    method  => 'vfork+exec',
                    sh      => 'dynamic',
                    user_s  => 1,
                    sys_s   => 2,
                    elapsed => '1:00.5'
                },
            ]
        }
    );
    my $found =
        dillon(run_of(passes('static', 'vforkexec', 200), passes('dynamic', 'vforkexec', 500)),
        \%reference);
    my ($here) =
        grep { $_->{method} eq 'vfork+exec' && $_->{shell} eq 'static' } @{ $found->{here} };
    is_deeply(
        [ two_decimals(@{$here}{qw(user system elapsed cpu rate)}) ],
        [ '0.40', '0.60', '1.00', '1.00', '5000.00' ],
        'seconds for 5,000 creations, the share of a CPU and the rate'
    );
    is(scalar @{ $found->{here} }, 6, 'a row for each method and shell');
    is_deeply([ map { $_->{elapsed} } @{ $found->{book} } ], [ 5, 60.5 ], 'minutes and seconds');
    is_deeply(
        [ map { ($_->{method}, two_decimals(@{$_}{qw(here book)})) } @{ $found->{ratios} } ],
        [ 'vfork+exec', '2.50', '12.10' ],
        'ratios of dynamic to static, where both were measured'
    );
};

subtest 'Linux and Windows, 2012' => sub {
    my @references = (
        { elapsed_ms => { 'fork+exec'   => [ 400, 500, 600 ], pthread_create => [50] } },
        { elapsed_ms => { createprocess => [ 2000, 3000 ] } }, {},
    );
    my @passes = (
        passes('1000', 'forkexec', 500, creating => 0.25),
        passes('1000', 'thread', 10, creating    => 0.01)
    );
    my $found = linux_windows(run_of(@passes), @references);
    my ($here) = grep { $_->{method} eq 'fork+exec' } @{ $found->{here} };
    is_deeply(
        $here->{ms},
        { median => 250, low => 250, high => 250, runs => 9 },
        'milliseconds until all were created'
    );
    is($here->{reaped_ms}{median}, 2500, 'and until all were reaped');
    is_deeply(
        $found->{book}[1]{ms},
        { median => 500, low => 400, high => 600, runs => 3 },
        'published milliseconds'
    );
    is($found->{here}[1]{ms}, undef, 'a method that was not measured');
    is_deeply(
        [ map { $_->{method} } @{ $found->{book} } ],
        [qw(createprocess fork+exec pthread_create)],
        'published methods'
    );
    is_deeply(
        [
            map { join q{ }, @{$_}{qw(here book)}, two_decimals(@{$_}{qw(time rate)}) }
                @{ $found->{ratios} }
        ],
        [
            'fork+exec fork+exec 0.50 2.00',
            'pthread_create pthread_create 0.20 5.00',
            'fork+exec createprocess 0.10 10.00'
        ],
        'ratios of the times and of the rates'
    );
    is_deeply(
        [ two_decimals(@{ $found->{thread} }{qw(here book)}) ],
        [ '0.04', '0.10' ],
        'the time of a thread as a share of fork+exec'
    );
    is(linux_windows(run_of())->{thread}, undef, 'nothing was measured');
};
is_deeply(\@warnings, [], 'no warnings');
done_testing;
