# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Measure::Runner;
use SpawnMeter::Measure::Loop qw(run_in_turns);

my $folder = scratch();

# Programs that take turns: each writes when it has one, to one file
my $said = "$folder/said";
my $script = <<'END';
my ($name, $turns, $how, @gate);
while (defined(my $word = shift)) {
    ($name, $how) = (shift, shift) if $word eq '--name';
    $turns = shift if $word eq '--turns';
    @gate = split /,/, shift if $word eq '--gate';
}
my ($in, $out) = map { open my $h, $_->[0], $_->[1] or die; $h }
    map { [ $_->[0], (split /,/, $turns)[ $_->[1] ] ] } [ '<&=', 0 ], [ '>&=', 1 ];
$SIG{PIPE} = 'IGNORE';
if ($how eq 'skips') { print STDERR "SKIP|not here\n"; exit 77 }
open my $ready, '>&=', $gate[1] or die;
syswrite $ready, 'r';
close $ready;
open my $go, '<&=', $gate[0] or die;
vec(my $bits = '', fileno $go, 1) = 1;
select $bits, undef, undef, undef;
for my $turn (1 .. 3) {
    sysread $in, my $byte, 1;
    if ($how eq 'hangs' && $turn == 3) { sleep 100 while 1 }
    if ($how eq 'fails' && $turn == 2) { print STDERR "ERROR|broken\n"; exit 1 }
    open my $say, '>>', $ENV{SAID} or die;
    syswrite $say, "$name$turn ";
    close $say;
    syswrite $out, 't' if $turn < 3;
}
print STDERR "COUNT|30|1|lps\nTIME|1.5\n";
END
my $program = executable("$folder/program", "#!$^X\n$script");
local $ENV{SAID} = $said;

my %COMMON = (
    program => $program,
    copies  => 1,
    gate    => 1,
    timeout => 60,
    folder  => "$folder"
);

sub turns_of {
    my ($runner, @specs) = @_;
    return run_in_turns({ runner => $runner, settings => { turns => 0.01 } }, @specs);
}

sub in_turns {
    my ($first, $second, %other) = @_;
    my @how = ($first, $second);
    unlink $said;
    my @specs =
        map { { %COMMON, %other, arguments => [ '--name', $_->[0], $_->[1] ] } } [ A => $how[0] ],
        [ B => $how[1] ];
    my @got = turns_of(SpawnMeter::Measure::Runner->new, @specs);
    return ([ map { $_->{status} } @got ], slurp_file($said), @got);
}

subtest 'two that end' => sub {
    my ($status, $order, @got) = in_turns('well', 'well');
    is_deeply($status, [ 'ok', 'ok' ], 'both are measured') or diag explain(\@got);
    is($order, 'A1 B1 A2 B2 A3 B3 ', 'in turns, the first one first');
    is_deeply([ map { $_->{results}[0]{count} } @got ], [ 30, 30 ], 'each has its result');
    is_deeply([ map { $_->{beside}[0]{count} } @got ], [ 30, 30 ], 'and that of the other beside');
    is($got[0]{wall}, $got[1]{wall}, 'each has half of the time');
};

# What is wrong, the status of both, the reason, the order
my @WRONG = (
    [ 'fails', 'failed', qr/^broken$/, 'A1 B1 B2 B3 ' ],
    [ 'hangs', 'failed', qr/^timed out after/, undef, timeout => 5 ],
    [ 'skips', 'skipped', qr/^not here$/, undef ],
);
for my $case (@WRONG) {
    my ($how, $expected, $reason, $turns, %with) = @{$case};
    subtest "one that $how" => sub {
        my ($status, $order, @got) = in_turns($how, 'well', %with);
        is_deeply($status, [ $expected, $expected ], 'neither is measured')
            or diag explain(\@got);
        like($_->{reason}, $reason, 'with the reason') for @got;
        is_deeply([ map { @{ $_->{results} } } @got ], [], 'without results');
        is($order, $turns, 'the other one goes on alone') if defined $turns;
    };
}

subtest 'Run is to end' => sub {
    my $stops = SpawnMeter::Measure::Runner->new(stopped => sub { return 1 });
    my @specs = map { { %COMMON, arguments => [ '--name', $_, 'well' ] } } qw(A B);
    is_deeply(
        [ map { $_->{status} } turns_of($stops, @specs) ],
        [ 'stopped', 'stopped' ],
        'both are stopped'
    );
};
done_testing;
