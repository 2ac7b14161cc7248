# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Report::Advice qw(advice verdict facts_text);

is_deeply([ advice({}, { copies => 1 }) ], [], 'unknown facts give no advice');
is(verdict({}, { busy => 0 }), "Nothing here disturbs or limits a run.\n", 'nothing to say');
like(verdict({}, {}), qr/other processes are running is unknown/, 'without /proc');

my %facts = (
    cpu_model       => 'A',
    governor        => 'x',
    smt             => undef,
    vulnerabilities => 'meltdown: PTI; spectre_v2: Mitigation: Retpolines; '
        . 'STIBP: disabled; RSB filling; BHI: Not affected; srbds: none'
);
my $text = verdict(\%facts, {}) . facts_text(\%facts);
like($text, qr/^What here can disturb or limit a run:\n  - /, 'it begins with the verdict');
like($text, qr/^  smt +unknown$/m, 'an unknown fact');
ok(!(grep { length > 78 } split /\n/, $text), 'no line is wider than 78 columns');
done_testing;
