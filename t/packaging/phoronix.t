# SPDX-License-Identifier: GPL-2.0-or-later
# The test profile for the Phoronix Test Suite: its version, menu and checksums, what install.sh
# does, and, by a reader that was written from the suite's documentation, how a result is found in
# a log: the line with LineHint, and in it the word before
# ResultBeforeString.  (The suite's parser takes the word before this string, although the
# documentation of its schema has it the other way round.)
use lib 't/lib';
use TestHelp;
use Packaging;
use SpawnMeter::Catalog::Tests;

my $folder = scratch();
my $tarball = tarball("$folder");
my $filled = command({}, q(sh), "$ROOT/packaging/phoronix/build", "$folder");
is("$filled->{status} $filled->{err}", q{0 }, q(the profile is filled in));
my $profile = "$folder/phoronix";

# { path of an element below this place => [its texts] } of an XML file that has neither attributes
# nor mixed contents
sub texts {
    my ($name, $place) = @_;
    my $text = slurp_file("$profile/$name") =~ s/\A<\?xml version="1[.]0"\?>\n//r;
    my ($path, %found) = q{};
    while ($text =~ s{\A<(/?)(\w+)>([^<>]*)}{}) {
        my ($end, $element, $inner) = ($1, $2, $3);
        $end && $path =~ s{/$element\z}{} or $path .= "/$element";
        push @{ $found{ $path =~ s{\A/PhoronixTestSuite/$place}{}r } }, $inner if $inner =~ /\S/;
    }
    is("$path$text", q{}, "$name: each element is closed");
    return \%found;
}

my $definition = texts('test-definition.xml', q{});
my $MENU = 'TestSettings/Option/Menu/Entry';

subtest 'test-definition.xml' => sub {
    is(
        $definition->{'TestInformation/AppVersion'}[0] . "\n",
        slurp_file("$ROOT/VERSION"),
        'the version'
    );
    my $catalog = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list");
    my %title = map { $_->{name} => $_->{title} } @{ $catalog->{tests} };
    my ($values, $names) = map { $definition->{"$MENU/$_"} } qw(Value Name);
    my @default = map { $_->{name} } SpawnMeter::Catalog::Tests::choose($catalog);
    is_deeply([ sort @{$values} ], [ sort @default ], 'the menu has the default tests');
    is_deeply($names, [ map { $title{$_} } @{$values} ], 'with their titles');
};

subtest 'results-definition.xml finds the result in a report' => sub {
    my $parser = texts('results-definition.xml', 'ResultsParser/');
    my %of = map { $_ => $parser->{$_}[0] } keys %{$parser};
    is_deeply([ sort keys %of ], [qw(LineHint OutputTemplate ResultBeforeString)], 'its elements');
    like($of{OutputTemplate}, qr/#_RESULT_# \Q$of{ResultBeforeString}\E /, 'the template agrees');
    like($of{OutputTemplate} =~ s/#_RESULT_#/9009.0/r,
        qr/\Q$of{LineHint}\E/, 'the line of a result has the hint');
    my @arguments = split q{ }, $definition->{'TestSettings/Default/Arguments'}[0];
    my $home = "$folder/results";
    my @tests = @{ $definition->{"$MENU/Value"} };

    for my $test ($ENV{LONG} ? @tests : @tests[ 0, -1 ]) {
        my $run = command({ env => { UB_RESULTDIR => $home } },
            "$ROOT/Run", @arguments, qw(--max-time 0.3), $test);
        my @lines = grep { index($_, $of{LineHint}) >= 0 } split /\n/, "$run->{out}$run->{err}";
        is(scalar @lines, 1, "$test: one line has the hint") or next;
        my @words = split q{ }, $lines[0] =~ tr/()\t/   /r;
        my ($at) = grep { $words[$_] eq $of{ResultBeforeString} } 0 .. $#words;
        my $lava =
            command({ env => { UB_RESULTDIR => $home } }, "$ROOT/Run", qw(export lava latest))
            ->{out};
        my ($rate) = $lava =~ /^\S+ pass (\S+) lps$/m;
        is($words[ $at - 1 ], sprintf('%.1f', $rate), "$test: it is the result");
    }
};

subtest 'downloads.xml and install.sh' => sub {
    my $downloads = texts('downloads.xml', 'Downloads/Package/');
    my %of = map { $_ => $downloads->{$_}[0] } keys %{$downloads};
    is($of{SHA256}, (split q{ }, slurp_file("$tarball.sha256"))[0], 'the checksum');
    is($of{FileSize}, -s $tarball, 'the size');
    is($of{FileName}, ($tarball =~ m{([^/]+)\z})[0], 'the name');

    # as the suite calls it: in a folder that is HOME, with the download in it
    my $place = File::Temp->newdir('sm-pts-XXXXXX', TMPDIR => 1);
    spew("$place/$of{FileName}", slurp_file($tarball));
    my %env = (HOME => "$place", LOG_FILE => "$place/log", NUM_CPU_CORES => 2);
    my $installed = command({ folder => "$place", env => \%env }, 'sh', "$profile/install.sh");
    is($installed->{status}, 0, 'install.sh') or diag $installed->{err};
    is(slurp_file("$place/install-exit-status"), "0\n", 'its status');
    my $run = command(
        { folder => "$place", env => \%env },
        "$place/spawnmeter",
        qw(--brief -c 1 --max-time 0.3 fork)
    );
    is(slurp_file("$place/test-exit-status"), "0\n", 'the program runs') or diag $run->{err};
    like(slurp_file("$place/log"), qr/^Fork Throughput +[\d.]+ lps/m, 'and writes the log');
};
done_testing;
