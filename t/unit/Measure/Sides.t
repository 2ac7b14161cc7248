# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Measure::Sides qw(sides add_builds path_of pending_words);

my $folder = scratch();
spew("$folder/file", "text\n");
executable("$folder/program", q{});

my @wrong = (
    [ { 'wrap-b'     => "'$folder/none'" } => qr/^--wrap-b: there is no program .*none'/ ],
    [ { 'wrap-b'     => "'$folder/file'" } => qr/^--wrap-b: there is no program .*file'/ ],
    [ { 'wrap-b'     => q{'sh} }           => qr/^--wrap-b: ''sh' has no words; check its quotes/ ],
    [ { 'programs-a' => "$folder/none" }   => qr/^--programs-a: .*none: no such folder/ ],
    [ { 'programs-a' => __FILE__ }         => qr/^--programs-a: .*Sides[.]t: not a folder/ ],
);
subtest 'errors' => sub {
    for my $case (@wrong) {
        my ($option, $message) = @{$case};
        is(eval { sides($option); 1 }, undef, "$message");
        like($@, $message, 'says what is wrong');
    }
    my ($x, $y) = sides({ 'programs-b' => "$folder" });
    my @tests = map { { program => $_ } } qw(fork vfork);
    is(eval { add_builds([ $x, $y ], \@tests); 1 }, undef, 'a folder without the programs');
    like($@, qr/^--programs-b: .* lacks fork, true-dynamic, vfork; /, 'says which');
    executable("$folder/$_", q{}) for qw(fork vfork true-dynamic);
    ok(eval { add_builds([ $x, $y ], \@tests); 1 }, 'a folder that has them') or diag $@;
};

{
    no warnings 'redefine';
    local *POSIX::uname = sub { return ('Linux', 'host/name') };
    is(path_of({ state => '/s' }), '/s/set-back-host_name', 'what is pending has a file of a host');
    my $suite = { state => "$folder", option => { 'set-back' => 'true' } };
    my $transition = SpawnMeter::Measure::Sides->new($suite);
    SpawnMeter::Measure::Sides::store($transition->{path}, $transition->{back});
    like(
        pending_words($suite),
        qr/^this machine is in another state .*'true' sets it back/,
        'what is pending'
    );
}
done_testing;
