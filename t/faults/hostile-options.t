# SPDX-License-Identifier: GPL-2.0-or-later
# A slice so short that perl writes it as 1e-06, which the test programs do not accept: it
# is refused with the smallest slice, and the smallest slice is measured.
use lib 't/lib';
use TestHelp;
use Faults;

needs_proc();

my @SHORT = qw(-v --max-time 0.2 -c 1 vfork);

for my $slice (qw(0.000001 0.00009)) {
    my $fault = "--slice $slice";
    subtest $fault => sub {
        my $run = finish(start({}, @SHORT, '--slice', $slice));
        says(
            $run,
            qr/^Run: --slice: '\Q$slice\E' .* 0[.]0001\b/m,
            'the message names the smallest slice'
        );
        is($run->{out_text}, q{}, 'nothing was measured');
        check_end($fault, $run);
    };
}
subtest '--slice 0.0001' => sub {
    my $run = finish(start({}, @SHORT, qw(--slice 0.0001)));
    is($run->{status}, 0, 'status 0');
    like($run->{out_text}, qr/^Vfork Throughput +\d/m, 'it is measured') or diag $run->{out_text};
    check_end('--slice 0.0001', $run);
};
done_testing;
