# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run noise: equal runs, which later comparisons use.
use lib 't/lib';
use TestHelp;
use InProcess;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File qw(decode encode);

my $tree = small_tree();
sub measured { my (@arguments) = @_; return run_in($tree, {}, @arguments) }
sub files    { return glob "\Q$tree\E/results/*.json" }

my @noise = qw(noise -i 4 -c 1 --slice 0.02 fork vfork);
my $got = measured(@noise);
is($got->{status}, 0, 'status 0') or diag $got->{err};
like($got->{out}, qr/^The same tests in 6 runs, noise-\S+[.]\n\ntest .*\nfork +1 /m, 'a summary');
like($got->{out}, qr/^1 copy +\d.*% +\d.*% +\d.*% +\d.*%$/m, 'what 1, 2, 4 and 8 runs show');
is(scalar(my @files = files()), 6, 'six runs are stored');
my @runs = map { SpawnMeter::Store::RunFile::load($_) } @files;
my %kind = map { $_->{kind} => 1 } @runs;
is_deeply([ keys %kind ], ['equals'], 'as equal runs');
my $label = $runs[0]{label};

unlink $files[-1];
$got = measured(@noise, '--label', $label);
like($got->{err}, qr/^Run 6 of 6, \Q$label\E$/m, 'the one that is missing is measured');
unlike($got->{err}, qr/^Run [1-5] of 6/m, 'and no other');
$got = measured('compare', $label);
like($got->{out}, qr/^The same tests in 6 runs, \Q$label\E[.]$/m, 'compare prints it again');
$got = measured(@noise, qw(--repeat 2));
like($got->{out}, qr/^The same tests in 2 runs/m, 'a complete group is left alone');
is(scalar(@files = files()), 8, 'the others are there');

measured(qw(-q -i 4 -c 1 --slice 0.02 fork vfork --label), $_) for qw(old new);
my ($load, $loads) = (\&SpawnMeter::Store::RunFile::load, "$tree/loads");
{
    no warnings 'redefine';
    local *SpawnMeter::Store::RunFile::load = sub {
        open my $to, '>>', $loads or die "$loads: $!";
        print {$to} "$_[0]\n";
        close $to;
        return $load->(@_);
    };
    $got = measured(qw(compare old new));
}
like(
    $got->{out},
    qr/[(]1 degrees? of\s+freedom with\s+those of\s+noise-/,
    'compare uses the newest'
);
my %times;
$times{$_}++ for split /\n/, slurp_file($loads);
is_deeply([ @times{ @files[ 0 .. 7 ] } ], [ (1) x 8 ], 'and loads each of the eight once');

# The newest of these runs is of another machine
measured(qw(-q -i 4 -c 1 --slice 0.02 fork vfork --label new));
my $last = newest($tree);
my $path = "$tree/results/$last->{name}.json";
$last->{system}{cpu_model} = 'Another CPU';
$last->{programs} = '/elsewhere';
spew($path, encode($last));
my $differ = qr/Differences of machine.*programs:.*elsewhere [(]1 of 2\s+runs[)].*Another CPU/s;
$got = measured(qw(compare new));
like($got->{out}, $differ, 'a group of runs that differ: named');
$got = measured(qw(compare old new));
like($got->{out}, $differ, 'also where it is compared');
like($got->{out}, qr/loops: not used [(]different machines[)]/, 'without the loops');
my $json = decode(measured(qw(compare --json old new))->{out});
is($json->{machines}[1]{system}{cpu_model}, undef, 'the group does not say what its first run has');
is($json->{machines}[1]{name}, 'new', 'and has its own name');

done_testing;
