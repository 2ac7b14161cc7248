# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use Hash::Util                   ();
use SpawnMeter::Analysis::Record qw(fields loaded_run);

my %RECORD = map { $_ => SpawnMeter::Analysis::Record->can($_) }
    qw(settings test cell pass result run comparison sweep);

for my $name (sort keys %RECORD) {
    subtest $name => sub {
        my ($field, @others) = fields($name);
        my %seen;
        is_deeply([ grep { $seen{$_}++ } $field, @others ], [], 'no field is listed twice');
        my $record = $RECORD{$name}->($field => 5);
        is($record->{$field}, 5, 'a field that was given');
        is($record->{ $others[0] }, undef, 'a field that was not given');
        $record->{ $others[0] } = 7;
        is($record->{ $others[0] }, 7, 'a field that is set later');
        ok(!eval { my $x = $record->{mistyped};     1 }, 'reading a mistyped field dies');
        ok(!eval { $record->{mistyped} = 1;         1 }, 'setting a mistyped field dies');
        ok(!eval { $RECORD{$name}->(mistyped => 1); 1 }, 'constructing with a mistyped field dies');
        like($@, qr/mistyped/, 'with its name');
    };
}

subtest 'loaded runs' => sub {
    local $ENV{HARNESS_ACTIVE} = 1;
    my %later = (of_a_later_version => 1);
    my $run = loaded_run({
        %later,
        suite    => '1',
        protocol => { name => 'settle', %later },
        sweep    => { name => 'memory', %later },
        tests    => [ { name => 'fork', %later } ],
        passes   => [ { rate => 5, %later } ],
    });
    my %part = (
        run      => $run,
        protocol => $run->{protocol},
        sweep    => $run->{sweep},
        test     => $run->{tests}[0],
        pass     => $run->{passes}[0],
    );
    for my $name (sort keys %part) {
        ok(Hash::Util::hash_locked(%{ $part{$name} }), "$name: is a record");
        ok(!exists $part{$name}{of_a_later_version}, "$name: an unknown field is dropped");
    }
    is($run->{protocol}{name}, 'settle', 'known fields stay');
    is(loaded_run($run), $run, 'a record stays as it is');
    is(loaded_run({ suite => '1' })->{tests}, undef, 'a run without parts');
};
done_testing;
