# SPDX-License-Identifier: GPL-2.0-or-later
# Two trees, one folder of results, one UB_OUTPUT_FILE_NAME.  The second Run refuses the name
# while the first one uses it, and neither touches the other's files; then the name is free.
use lib 't/lib';
use TestHelp;
use Faults;
use SpawnMeter::Store::RunFile;

needs_proc();

my @trees = map { tree() } 1, 2;
my $folder = File::Temp->newdir('sm-name-XXXXXX', TMPDIR => 1);
my $NAME = 'nightly-2026-01-01-01';
my @SHORT = qw(-v --slice 0.05 --max-time 2 -c 1 vfork clone);
my $MEASURES = qr/ 2 passes/;

sub start_in {
    my ($tree, @arguments) = @_;
    return start({ tree => $tree, results => "$folder", env => { UB_OUTPUT_FILE_NAME => $NAME } },
        @arguments);
}

sub is_stored {
    my ($run) = @_;
    my $reported = () = $run->{err_text} =~ / \d+ pass(?:es)? /g;
    my $stored = SpawnMeter::Store::RunFile::load("$folder/$NAME.json");
    is(scalar @{ $stored->{passes} }, $reported, 'every reported pass is stored');
    return $reported - @{ $stored->{passes} };
}

my $BOTH = 'two trees, one given name';
subtest $BOTH => sub {
    my $first = start_in($trees[0], @SHORT);
    ok(printed($first, $MEASURES), 'the first Run measures');
    kill 'STOP', $first->{pid};    # else it can end before the second one has started
    my $second = finish(start_in($trees[1], @SHORT));
    kill 'CONT', $first->{pid};
    says($second, qr/^Run: UB_OUTPUT_FILE_NAME: another Run is writing \S+\Q$NAME\E[.]log;/m,
        'the second');
    ok(-e "$folder/$NAME.part", 'the journal of the first is there');
    finish($first);
    is($first->{status}, 0, 'the first has status 0') or diag $first->{err_text};
    my $lost = is_stored($first);
    my $third = finish(start_in($trees[1], @SHORT));
    is($third->{status}, 0, 'afterwards the name is free') or diag $third->{err_text};
    check_end($BOTH, [ $first, $second, $third ], lost => $lost + is_stored($third));
};
done_testing;
