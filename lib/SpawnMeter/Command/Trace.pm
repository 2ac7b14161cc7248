package SpawnMeter::Command::Trace;

# ./Run trace METHOD: where the time of one creation goes.
#
#   run(suite) -> exit status
#   render(method, phases, note) -> text (pure); phases: [ [name, p50, p90, p99 in us] ]

use strict;
use warnings;
use File::Spec ();
use SpawnMeter::Measure::Build;
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::DidYouMean qw(nearest);
use SpawnMeter::Measure::Session ();
use SpawnMeter::Util::Process;
use SpawnMeter::Measure::ProgramOutput;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Util::Programs;
use SpawnMeter::Util::Format qw(duration);

use constant {
    COUNT => 10_000,
    FEW   => 200,      # calls are counted over this many creations
};

my @METHODS = qw(fork vfork clone forkexec vforkexec posix_spawn);

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    my (undef, $method, @more) = @{ $option->{names} };
    die "trace: name one of: @METHODS\n" if !defined $method || @more;
    if (!grep { $_ eq $method } @METHODS) {
        my $near = nearest($method, @METHODS);
        die "trace: no method '$method'"
            . (defined $near ? "; did you mean '$near'?" : "; there are: @METHODS") . "\n";
    }
    my @other = grep { /^--/ && !/^--count\z/ } @{ $option->{pass_on} };
    die "trace: $other[0] has no meaning here\n" if @other;
    SpawnMeter::Measure::Session::alone($suite);
    SpawnMeter::Measure::Build::build(
        $suite->{root}, $suite->{binaries},
        [ 'trace', 'true-dynamic', $method ],
        sub { print {*STDERR} @_ }
    );
    my $count = $option->{count} || COUNT;
    my $usable = SpawnMeter::Machine::Facts->new->usable_cpus;
    my @pin = $option->{pin} ? ('--cpu', $usable->{cpus}[0]) : ();
    my ($status, $words) =
        SpawnMeter::Util::Process::output("$suite->{binaries}/trace", @pin, $method, $count,
        $method =~ /exec|spawn/ ? "$suite->{binaries}/true-dynamic" : ());

    if ($status != 0) {
        print {*STDERR} "Run: trace: ",
            SpawnMeter::Measure::ProgramOutput::plain(
            $words =~ /^(?:ERROR[|])?([^\n]*)/ ? $1 : 'it failed'), "\n";
        return 1;
    }
    my @phases =
        map { /^PHASE[|]([^|]+)[|]([\d.-]+)[|]([\d.-]+)[|]([\d.-]+)\z/ ? [ $1, $2, $3, $4 ] : () }
        split /\n/, $words;
    print render($method, \@phases,
        "$count creations, "
            . (@pin ? "pinned to CPU $usable->{cpus}[0]" : 'placed by the kernel'));
    return $option->{syscalls} ? syscalls($suite, $method) : 0;
}

sub render {
    my ($method, $phases, $note) = @_;
    my ($whole) = map { $_->[1] } grep { $_->[0] eq 'the whole' } @{$phases};
    my $text =
        "Where the time of one $method goes ($note)\n\n" . sprintf "  %-40s %8s %8s %8s %7s\n",
        q{}, qw(median p90 p99 share);
    for my $phase (@{$phases}) {
        my ($name, @us) = @{$phase};
        $text .= sprintf "  %-40s %8s %8s %8s %6.0f%%\n", $name,
            map({ $_ < 0 ? 'before' : duration($_) } @us), $whole ? 100 * $us[0] / $whole : 0;
    }
    $text .=
        "\nThe phases overlap where parent and child run at once, and each has its own\nmedian: they do not add up to the whole.\n";
    return $text . answer($method, { map { $_->[0] => $_->[1] } @{$phases} });
}

# The post of 2008 timed one fork of Mac OS X by ktrace: 0.119 ms in fork(), then
# 3.081 ms until wait4() returned, and could not say of what
sub answer {
    my ($method, $of) = @_;
    return q{} if $method !~ /^fork/;
    my $call = $of->{'call to return in the parent'};
    my $after = $of->{'the whole'} - $call;
    my $rest =
        $method eq 'fork'
        ? sprintf(
        'the child needs %s from the call to its first instruction, and %s pass from its exit until wait returns',
        map { duration($of->{$_}) } 'call to first instruction in the child',
        "exit to wait's return"
        )
        : sprintf(
        '%s go by until exec succeeds in the child, and %s while the program starts, runs and ends',
        map { duration($_) }
            $of->{'call to first instruction in the child'} +
            $of->{"the child's own time"} +
            $of->{'exec to its success'},
        $of->{"success of exec to wait's return"}
        );
    return
        sprintf
        "\nA post of 2008 saw 0.119 ms in fork() and then 3.081 ms until wait4() returned\n(Mac OS X 10.4), and asked of what.  Here it is %s and then %s:\n%s.\n",
        duration($call), duration($after), $rest =~ s/(.{1,76})(?: |\z)/$1\n/gr =~ s/\n\z//r;
}

# System calls of a creation: those of more creations less those of fewer
sub syscalls {
    my ($suite, $method) = @_;
    my $strace = SpawnMeter::Util::Programs::found('strace');
    if (!defined $strace) {
        print {*STDERR} "Run: strace is not installed: no table of system calls\n";
        return 1;
    }
    my ($few, $many) = map { calls($suite, $strace, $method, $_) } FEW, 2 * FEW;
    if (!%{$few} || !%{$many}) {
        print {*STDERR} "Run: strace could not trace here: no table of system calls\n";
        return 1;
    }
    print "\nSystem calls of one creation, of parent and child together (strace, ", FEW,
        " creations)\n\n";
    for my $name (sort { $many->{$b} <=> $many->{$a} || $a cmp $b } keys %{$many}) {
        my $each = ($many->{$name} - ($few->{$name} || 0)) / FEW;
        printf "  %-24s %7.2f\n", $name, $each if $each >= 0.005;
    }
    return 0;
}

sub calls {
    my ($suite, $strace, $method, $count) = @_;
    my $folder = SpawnMeter::Util::Cleanup::temporary(File::Spec->tmpdir);
    my $file = "$folder/calls";
    local %ENV = (%ENV, LC_ALL => 'C', UB_BINDIR => $suite->{binaries});
    my ($status) = SpawnMeter::Util::Process::output($strace, '-f', '-c', '-o', $file,
        "$suite->{binaries}/$method", '--warmup', 0, '--no-latency', '--count', $count);
    my %calls;
    return \%calls if $status != 0;
    open my $in, '<', $file or return \%calls;

    while (my $line = <$in>) {

        # % time, seconds, usecs/call, calls, errors or nothing, name
        $calls{$2} = $1
            if $line =~ /^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)(?:\s+\d+)?\s+([a-z]\w*)$/
            && $2 ne 'total';
    }
    close $in or return \%calls;
    return \%calls;
}

1;
