# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Measure::Sides qw(sides check_programs);

my $folder = scratch();
spew("$folder/file", "text\n");
spew("$folder/program", "#!/bin/sh\n");
chmod oct 755, "$folder/program";

subtest 'what sides are' => sub {
    my ($x, $y) = sides({ 'wrap-b' => qq{"$folder/program" -x 'two words'}, a => [ '--heap', 0 ] });
    is_deeply($x->{options}, [ '--heap', 0 ], 'options of one side');
    is($x->{wrap}, undef, 'without a command');
    is_deeply($y->{wrap}, [ "$folder/program", '-x', 'two words' ], 'words with quotes');
    ($x, $y) = sides({ 'wrap-a' => 'sh -c :' });
    like($x->{wrap}[0], qr{^/.*/sh\z}, 'a program is searched in PATH');
    ($x, $y) = sides({ 'programs-b' => 'pgms' });
    is($y->{programs}, "$ROOT/pgms", 'a folder by its full path');
    is(scalar sides({ a => [], b => [] }), 2, 'both as they are');
};

my @wrong = (
    [ {} => qr/^ab: needs what B is/ ],
    [ { 'wrap-a' => 'no-such-program -x' } => qr/^--wrap-a: there is no program 'no-such-pro/ ],
    [ { 'wrap-b' => "'$folder/none'" }     => qr{^--wrap-b: \Q$folder\E/none: no such file} ],
    [ { 'wrap-b' => "'$folder/file'" }     => qr/^--wrap-b: .*file: cannot be executed/ ],
    [ { 'wrap-b' => q{'sh} }               => qr/^--wrap-b: ''sh' has no words; check its quotes/ ],
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
    is(eval { check_programs([ $x, $y ], \@tests); 1 }, undef, 'a folder without the programs');
    like($@, qr/^--programs-b: .* lacks fork, true-dynamic, vfork; /, 'says which');
    spew("$folder/$_", q{}) && chmod oct(755), "$folder/$_" for qw(fork vfork true-dynamic);
    ok(eval { check_programs([ $x, $y ], \@tests); 1 }, 'a folder that has them') or diag $@;
};

done_testing;
