# SPDX-License-Identifier: GPL-2.0-or-later
# Writing to the folder of results: it is full for a moment, or until the end, and writes are
# interrupted or short (by a library that is loaded before libc, writes.c).  No pass is lost.
use lib 't/lib';
use TestHelp;
use Faults;
use SpawnMeter::Store::RunFile;
use Time::HiRes qw(sleep);

plan skip_all => 'LD_PRELOAD is Linux\'s' if $^O ne 'linux';
needs_proc();
my $folder = File::Temp->newdir('sm-writes-XXXXXX', TMPDIR => 1);
my $library = compiled('writes') or plan skip_all => 'writes.c cannot be compiled here';

my @SHORT = qw(-v --slice 0.05 --max-time 60 -i 20 -c 1 vfork clone);    # however busy it is
my $number = 0;

sub start_with {
    my (%env) = @_;
    my $results = "$folder/results" . ++$number;
    mkdir $results;
    return start({
        results => $results,
        env     => {
            LD_PRELOAD    => $library,
            FAULT_PROGRAM => 'perl',
            FAULT_FOLDER  => $results,
            FAULT_FULL    => "$folder/full",
            %env
        },
        command => [ $^X, "$ROOT/Run", @SHORT ],
    });
}

sub stored_passes {
    my ($run, $ending) = @_;
    my ($file) = glob "\Q$run->{results}\E/*.$ending";
    return defined $file ? scalar @{ SpawnMeter::Store::RunFile::load($file)->{passes} } : 0;
}

my $MOMENT = 'results: full for 0.8 s in mid-run';
subtest $MOMENT => sub {
    my $run = start_with();
    ok(printed($run, qr/ 3 passes/), 'it measures');
    spew("$folder/full", q{});
    sleep 0.8;
    my ($part) = glob "\Q$run->{results}\E/*.part";
    unlike(slurp_file($part), qr/[^\n]\z/, 'meanwhile no line of the journal is torn');
    unlink "$folder/full";
    finish($run);
    check_end($MOMENT, $run, status => 0);
};
my $END = 'results: full from mid-run to the end';
subtest $END => sub {
    my $run = start_with();
    ok(printed($run, qr/ 3 passes/), 'it measures');
    spew("$folder/full", q{});
    finish($run);
    unlink "$folder/full";
    says($run, qr/^Run: NOT STORED: cannot write \S+[.]json: No space left/m, 'reported', 1);
    like($run->{out_text}, qr/^Vfork Throughput +\d/m, 'the report is printed');
    cmp_ok(stored_passes($run, 'part'), '>=', 3, 'the journal has the passes until then');
    check_end($END, $run, unstored => 1, files => qr/[.]new/);
};
my $PAGE = 'results: full where the page is written';
subtest $PAGE => sub {
    spew("$folder/full", q{});
    my $run = finish(start_with(FAULT_ONLY => '.html'));
    unlink "$folder/full";
    says($run, qr{^Run: cannot write \S+[.]html: No space}m, 'the message names it', 1);
    check_end($PAGE, $run);
};
for my $how (qw(interrupted short)) {
    my $fault = "results: every write is $how";
    subtest $fault => sub {
        my $run = finish(start_with(FAULT_WRITES => $how));
        check_end($fault, $run, status => 0, shown => 1);
    };
}
done_testing;
