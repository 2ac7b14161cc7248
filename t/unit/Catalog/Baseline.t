# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use GoldenRuns;
use RunWriter                     qw(write_run);
use SpawnMeter::Catalog::Baseline qw(parse_baseline);

my $folder = scratch();
sub baseline { return SpawnMeter::Catalog::Baseline::load("$folder", @_) }

sub refused {
    my (@arguments) = @_;
    return eval { baseline(@arguments); 'accepted' } || $@;
}
spew("$folder/index.base", "# c\nfork|10|lps|126.0|126.0|1\nnew|10|lps|1|1|1\n");
spew("$folder/index.base-old", "# form: 4.1\nfork|10|lps|5|5|1\n");

my $default = baseline(undef, ['fork']);
is_deeply($default->{baseline}, { fork => '126.0', new => 1 }, 'index.base is the default');
is($default->{form}, '5', 'its form');
is_deeply(
    $default->{warnings},
    ["$folder/index.base: a baseline for 'new', which is not a test of this suite\n"],
    'a baseline of an unknown test is a warning'
);
is(baseline('old', ['fork'])->{form}, '4.1', 'index.base-NAME, of form 4.1');
is(baseline("$folder/index.base", ['fork'])->{form}, '5', 'a file');

like(refused('odl', []), qr/^unknown baseline 'odl': .* one of: old$/m, 'an unknown name');
mkdir "$folder/index.base-d" or die;
spew("$folder/index.base-d/x", "fork|10|lps|5|5|1\n");
like(refused('d/x', []), qr/^unknown baseline/, 'a name is not a path');
like(refused("$folder", []), qr/: not a regular file$/, 'a folder');

for my $bad (
    [ 'fork|10|lps|0|abc|1'      => qr/f, line 1: score: 'abc' is not a number above 0/ ],
    [ "# c\n\nfork|10|lps|0|1"   => qr/f, line 3: 6 fields are needed/ ],
    [ "a|1|l|0|1|1\na|1|l|0|1|1" => qr/line 2: a already has a baseline/ ],
    [ '# nothing'                => qr/no baseline in it/ ],
) {
    my ($text, $message) = @{$bad};
    eval { parse_baseline($text, 'f') };
    like($@, $message, "malformed: $text");
}

my $catalog = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list");
write_run("$folder/run.json", GoldenRuns::scaled($catalog, 'run', 0.1234));
like(baseline("$folder/run.json", [])->{baseline}{fork},
    qr/\A\d+[.]\d\z/, 'of a run the rate that is printed');

done_testing;
