# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Findings qw(finding finding_of heads line_of mark_of sign_of warns);

my $line = line_of(finding(busy => 'other processes', 'fork, 1 copy'));
is($line, 'BUSY: fork, 1 copy: other processes', 'a finding is printed with its head');
is_deeply(
    finding_of($line),
    finding(busy => 'fork, 1 copy: other processes'),
    'and read again from a post'
);
my $heads = heads();
my $remark = "The machine's speed changed: a little";
is_deeply(finding_of($remark), finding(remark => $remark), 'a line without a head is a remark');
is(line_of(finding(remark => 'x')) . heads(), "x$heads", 'which leaves the list of heads as it is');
is(join(q{ }, map { warns($_) } qw(noisy fault precise few)), '1 1 0 0', 'some kinds warn');
like('Flagged as disturbed', qr/\A(?:${\heads()})\z/x, 'a pattern of heads has no blanks to lose');
is(mark_of('busy'), sign_of('busy') . ' busy', 'a mark begins with the sign');

done_testing;
