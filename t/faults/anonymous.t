# SPDX-License-Identifier: GPL-2.0-or-later
# A host name, paths and commands in every text of runs of each kind: no form of an anonymous
# report, export or comparison has any of them.  LONG=1 (make check-long): more kinds.
use lib 't/lib';
use TestHelp;
use Faults::Poisoned qw(few);
use GoldenRuns;
use InProcess;
use SpawnMeter::Report::Export;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File qw(encode);

my $folder = scratch();
my @each = (qw(mixed ab sweep-memory), $ENV{LONG} ? qw(aa published-tlpi-28-3 classic) : ());
GoldenRuns::store($ROOT, "$folder", qw(old new third), @each);
my $PLANTED = q{SECRET-host.example /SECRET /home/SECRET/x ../SECRET/x "/a SECRET/b"};

# What a test or a value is called, and numbers, are no place for it
my $FIXED = qr/\A(?:format|kind|suite|status|test|tests|name|title|category|groups|side|series
    |values?|axis|quantity|unit|batches|histogram|label|cells)\z/x;

sub planted {
    my ($data, $field) = @_;
    return { map { $_ => $_ =~ $FIXED ? $data->{$_} : planted($data->{$_}) } keys %{$data} }
        if ref $data eq 'HASH';
    return [ map { planted($_) } @{$data} ] if ref $data eq 'ARRAY';
    return defined $data && !ref $data && $data =~ /[[:alpha:]]/ ? "$data $PLANTED" : $data;
}

sub with_secrets {
    my ($name) = @_;
    my $run = few(SpawnMeter::Store::RunFile::load("$folder/$name.json"));
    my @cells = map { { %{$_} } } @{ $run->{tests} };
    my ($first, @others) = @{ $run->{passes} };
    my %failed = map { $_ => $first->{$_} } qw(test copies side value);
    push @others,
        { %failed, status => 'failed', reason => 'cannot run ./SECRET-program', wall => 1 };
    my $secret = planted({ %{$run}, passes => [ $first, @others ], tests => \@cells });
    $secret->{host} = 'SECRET-host.example';
    @{$secret}{qw(name label)} = ('SECRET-host-01', 'SECRET label');
    $secret->{reason} = "--set-b 'cd x; SECRET': exit status 1: SECRET\nSECRET";
    $secret->{complete} = 0;
    $secret->{options} = [ '--through', './SECRET-program' ];
    $secret->{$_} = ["by SECRET-host: $PLANTED"] for qw(build notes conditions);
    $secret->{results} = [ { test => 'fork', reason => $PLANTED } ];
    $secret->{system}{$_} = $PLANTED for qw(kernel_version loader container);
    my $path = "$folder/SECRET-$name.json";
    spew($path, encode($secret));
    return $path;
}

# -> whether it has this form
sub clean {
    my (@words) = @_;
    my ($command, @more) = @words;
    my $got = run_in($ROOT, {}, $command, '--anonymous', @more);
    my $form = join q{ }, map { s{.*/}{}r } @words;
    my @lines = grep { /SECRET/ } split /\n/, $got->{out};
    is_deeply([ map { substr $_, 0, 200 } @lines ], [], "$form: clean");
    return length $got->{out} && $got->{status} < 2;
}

my %shown;
for my $name (@each) {
    my $path = with_secrets($name);
    for my $form ([], ['-v'], map { ["--$_"] } qw(html csv tidy)) {
        $shown{"show @{$form}"} += clean('show', @{$form}, $path);
    }
    $shown{"export $_"} += clean('export', $_, $path) for SpawnMeter::Report::Export::formats();
}
my ($old, $new, @more) = map { with_secrets($_) } qw(old new third mixed);
for my $form ([], map { ["--$_"] } qw(markdown csv json html)) {
    $shown{"compare @{$form}"} += clean('compare', @{$form}, @{$_})
        for [ $old, $new ], [ $old, $new, @more ], [ $old, $more[0], '--', $new, $more[1] ],
        ["$folder/SECRET-ab.json"];
}
is_deeply([ grep { !$shown{$_} } sort keys %shown ], [], 'each form shows one of them at least');
done_testing;
