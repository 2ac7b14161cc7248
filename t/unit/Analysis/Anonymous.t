# SPDX-License-Identifier: GPL-2.0-or-later
# An anonymous run has nothing that was planted in it, and all of its numbers.
use lib 't/lib';
use TestHelp;
use GoldenRuns;
use SpawnMeter::Analysis::Fingerprint qw(anonymous);
use SpawnMeter::Analysis::Results     qw(results);
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File qw(encode);

my $folder = scratch();
GoldenRuns::store($ROOT, "$folder", 'mixed');
my $run = SpawnMeter::Store::RunFile::load("$folder/mixed.json");

# SECRET stands in every place that can hold it
$run->{host} = 'SECRET-host';
$run->{name} = 'SECRET-host-2026-11-21-01';
$run->{label} = 'SECRET';
$run->{command} = './Run --exec /home/SECRET/program';
$run->{source} = '/home/SECRET/mail.txt';
$run->{options} = [ '--exec', '/home/SECRET', '--heap', '100M', '-c', 'SECRET', '--SECRET' ];
$run->{build} = [ 'cc 12, -O2 -ffile-prefix-map=/home/SECRET/x=.', 'glibc 2.36' ];
$run->{notes} = ['measured in ~/SECRET by /opt/SECRET/bin'];
$run->{reason} = 'cannot open "/srv/SECRET/data": no such file';
my ($failed) = grep { $_->{status} eq 'failed' } @{ $run->{passes} };
$failed->{reason} = 'cannot start /home/SECRET/pgms/clone: Permission denied';
my $with = encode($run);
my $anonymous = anonymous($run);

unlike(encode($anonymous), qr/SECRET/, 'nothing that identifies the site is left');
is(encode($run), $with, 'the run itself does not change');
is($anonymous->{name}, 'run-1195000000', 'the name is that of its time');
my $options = '--exec ARGUMENT --heap 100M ARGUMENT ARGUMENT ARGUMENT';
is("@{ $anonymous->{options} }", $options, 'options: names and sizes stay');
my $build = 'cc 12, -O2 -ffile-prefix-map=PATH=.';
is($anonymous->{build}[0], $build, 'build: only the path is replaced');
is($anonymous->{reason}, 'cannot open "PATH": no such file', 'a reason keeps its words');
is_deeply(results($anonymous), [ map { without_paths($_) } @{ results($run) } ], 'same results');
is_deeply($anonymous->{system}, $run->{system}, 'same facts');

sub without_paths {
    my ($result) = @_;
    my %copy = %{$result};
    $copy{reason} =~ s{/home\S+(?=:)}{PATH} if defined $copy{reason};
    return \%copy;
}

# A ratio or a date is not a path
is(
    SpawnMeter::Analysis::Fingerprint::without_paths("1/2 copies, 22/11/2026, KB/s"),
    '1/2 copies, 22/11/2026, KB/s',
    'slashes in numbers and units stay'
);
done_testing;
