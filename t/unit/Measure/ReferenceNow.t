# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Measure::SpawnCall qw(reference_now reference_words);

is(
    reference_words({ page_faults => [ 100, 125, 110 ], arithmetic => [ 2e8, 2e8, 2e8 ] }),
    'The reference loops now, medians of 3 readings: page faults 110/s (lowest to highest: 25 % '
        . 'apart); arithmetic steps 200M/s (lowest to highest: 0 % apart).',
    'medians, and how far apart the readings are'
);
is(reference_words({}), q{}, 'nothing is known');
is_deeply(reference_now({ binaries => '/none' }), {}, 'programs that are not built');

my $folder = scratch();
spew("$folder/fork", "#!/bin/sh\nexit 3\n");
chmod oct 755, "$folder/fork";
is_deeply(reference_now({ binaries => "$folder" }), {}, 'a program that fails');

SKIP: {
    skip('the programs are not built', 2) if !-x "$ROOT/pgms/fork";
    my $of = reference_now({ binaries => "$ROOT/pgms" });
    is_deeply(
        [ sort keys %{$of} ],
        [qw(arithmetic page_faults sparse_faults)],
        'each loop is measured'
    );
    is_deeply([ grep { @{$_} != 16 } values %{$of} ], [], 'in each reading');
}
done_testing;
