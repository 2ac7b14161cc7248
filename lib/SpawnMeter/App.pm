package SpawnMeter::App;

# Composes the stages; the only module that knows all of them.
#
#   main(root folder of the suite, arguments) -> exit status: 0 good, 1 some test
#   failed, the run is incomplete or its report could not be printed, 2 wrong use,
#   128 + signal when it was stopped

use strict;
use warnings;
use Errno      ();
use File::Spec ();
use IO::Handle ();
use POSIX      ();
use SpawnMeter::Command::Run;
use SpawnMeter::Catalog::Tests  ();
use SpawnMeter::Machine::Cgroup qw(slurp);
use SpawnMeter::Command::Compare;
use SpawnMeter::Report::Advice;
use SpawnMeter::Options;
use SpawnMeter::Measure::Session;
use SpawnMeter::Measure::ProgramOutput;
use SpawnMeter::Catalog::Published;
use SpawnMeter::Analysis::Results qw(blocks misprints printed_baseline);
use SpawnMeter::Store::RunFile;
use SpawnMeter::Store::Find;
use SpawnMeter::Catalog::Sweeps;
use SpawnMeter::Command::Sweep;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Util::Programs;
use SpawnMeter::Command::Trace;
use SpawnMeter::Util::Format qw(visible visible_lines);
use Time::HiRes              ();

my %VERB = (
    list    => \&list,
    show    => \&show,
    doctor  => \&doctor,
    aa      => \&SpawnMeter::Command::Run::equals,
    compare => \&SpawnMeter::Command::Compare::run,
    sweep   => \&SpawnMeter::Command::Sweep::run,
    explain => \&SpawnMeter::Command::Sweep::explain,
    trace   => \&SpawnMeter::Command::Trace::run
);

sub main {
    my ($root, @arguments) = @_;
    POSIX::setlocale(POSIX::LC_ALL(), 'C');

    # to the very end of the process, and so not local
    $SIG{PIPE} = 'IGNORE';
    $SIG{CHLD} = 'DEFAULT';
    $SIG{XFSZ} = 'IGNORE';    # a file that may not grow is an error of write(2)
                              # what nohup or a shell's background had ignored stays so
    my @heeded = grep { ($SIG{$_} || q{}) ne 'IGNORE' } keys %SpawnMeter::Command::Run::SIGNAL;
    my $owner = $$;
    @SIG{@heeded} = map {
        my $status = 128 + $SpawnMeter::Command::Run::SIGNAL{$_};
        sub { stop($status) if $$ == $owner }
    } @heeded;
    my $unblocked = POSIX::SigSet->new;
    POSIX::sigprocmask(POSIX::SIG_SETMASK(), $unblocked);
    tidy_environment();
    umask(umask() & oct 77);    # its own files can be read by who runs it
    my $status = eval { dispatch($root, @arguments) };
    return printed($status) if defined $status;
    my $message = $@;
    print {*STDERR} 'Run: ', visible_lines($message);
    return 2;
}

# exit alone is not enough: where it meets a scope that keeps $? for itself (as File::Temp's
# destructor does) that scope restores it
my $stopped_with;
sub stop { ($stopped_with) = @_; exit $stopped_with }
END { $? = $stopped_with if defined $stopped_with }

# What would have somebody else's program run, or another text read, by make, by a
# shell or by the programs that those start
sub tidy_environment {
    my @folders = grep { m{^/} } split /:/, defined $ENV{PATH} ? $ENV{PATH} : q{};
    $ENV{PATH} = @folders ? join(q{:}, @folders) : SpawnMeter::Util::Programs::PATH();
    delete @ENV{qw(BASH_ENV ENV CDPATH IFS MAKEFILES GNUMAKEFLAGS GREP_OPTIONS)};
    return;
}

# A report that did not arrive is no success, unless its reader had enough (| head)
sub printed {
    my ($status) = @_;
    return $status if (STDOUT->flush && !STDOUT->error) || $!{EPIPE};
    print {*STDERR} "Run: the output could not be written: $!\n";
    return $status || 1;
}

sub dispatch {
    my ($root, @arguments) = @_;
    my $option = SpawnMeter::Options::parse(@arguments);
    return manual($root) if $option->{help};
    my $suite = {
        %{ places($root) },
        option  => $option,
        command => join q{ },
        './Run', map { quoted($_) } @arguments
    };
    if ($option->{version}) {
        print "SpawnMeter $suite->{version}\n";
        return 0;
    }
    my @names = @{ $option->{names} };
    return $VERB{ $names[0] }->($suite) if @names && $VERB{ $names[0] };
    return SpawnMeter::Command::Run::run($suite);
}

# An argument as one would type it, for the report
sub quoted {
    my ($text) = @_;
    return $text if $text =~ m{^[\w./,:=%+@-]+$};
    $text                 =~ s/[^\x20-\x7e]/?/g;
    $text                 =~ s/'/'\\''/g;
    return "'$text'";
}

# The folders, of which the UB_ variables name others
sub places {
    my ($root) = @_;
    my $binaries = folder($ENV{UB_BINDIR}, "$root/pgms");
    my $results = folder($ENV{UB_RESULTDIR}, "$root/results");
    my $testdir = folder($ENV{UB_TESTDIR}, "$root/testdir");

    # as there: a folder of the tree, where the file tests find the disk that
    # the suite is on, and not one in memory
    my $tmp = folder($ENV{UB_TMPDIR}, "$root/tmp");
    return {
        root     => $root,
        binaries => $binaries,
        results  => $results,
        testdir  => $testdir,
        tmp      => $tmp,
        version  => slurp("$root/VERSION"),
        sweeps   => sub {
            return SpawnMeter::Catalog::Sweeps::load(
                -e "$binaries/sweeps.list" ? "$binaries/sweeps.list" : "$root/pgms/sweeps.list");
        },
        catalogue => SpawnMeter::Catalog::Tests::load(
            -e "$binaries/tests.list" ? "$binaries/tests.list" : "$root/pgms/tests.list"
        ),
    };
}

sub folder {
    my ($named, $default) = @_;
    return $default if !defined $named || !length $named;
    return File::Spec->rel2abs($named);
}

# --help is the manual's beginning
sub manual {
    my ($root) = @_;
    require Pod::Usage;
    Pod::Usage::pod2usage(
        -input    => "$root/Run",
        -verbose  => 99,
        -sections => 'SYNOPSIS|OPTIONS',
        -exitval  => 'NOEXIT',
        -output   => \*STDOUT
    );
    return 0;
}

sub list {
    my ($suite) = @_;
    my $catalogue = $suite->{catalogue};
    my $groups = SpawnMeter::Catalog::Tests::groups_of($catalogue);
    print "Tests:\n";
    printf "  %-16s %-42s %s%s\n", @{$_}{qw(name title category)}, $_->{tree} ? ' *' : q{}
        for @{ $catalogue->{tests} };
    print "  * runs from a classic tree (--classic-tree)\n"
        if grep { $_->{tree} } @{ $catalogue->{tests} };
    print "Groups:\n";
    print map { wrapped(sprintf('  %-12s', $_), join q{ }, @{ $groups->{$_} }) }
        sort keys %{$groups};
    print "  all          all of them\n";
    print "Without a name: @{ $catalogue->{default} }\n";
    print "Sweeps:\n";
    printf "  %-20s %s\n", @{$_}{qw(name title)}
        for @{ $suite->{sweeps}->() }, @{ SpawnMeter::Catalog::Published::list() };
    my @baselines = map { m{/index[.]base-([^/]+)\z} } glob "\Q$suite->{root}\E/pgms/index.base-*";
    print "Baselines: @baselines (or a file, or a stored run)\n";
    return 0;
}

# Files of this suite's runs, in the normal form
sub show {
    my ($suite) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    die
        "show: name one or more run files (NAME.json, NAME.part of a run that was ended, the text of a classic report, latest, or - for standard input)\n"
        if !@names;
    my $score_by = SpawnMeter::Measure::Session::score_by($suite);
    my $status = 0;
    for my $file (map { SpawnMeter::Store::Find::files($suite, $_) } @names) {
        my $found = SpawnMeter::Store::RunFile::load_all($file, $suite->{catalogue}{tests}, 1);
        print_text(shown($suite, $_, $score_by)) for @{ $found->{runs} };
        tell_unread($file, $found->{unread});
        $status = 1 if @{ $found->{unread} };
    }
    return $status;
}

sub shown {
    my ($suite, $run, $score_by) = @_;
    my $by = $run->{printed}
        && !defined $suite->{option}{baseline} ? printed_score_by($suite, $run) : $score_by;
    my $imported = $run->{printed} ? [ misprints($run, blocks($run, $by)) ] : undef;
    my %form = SpawnMeter::Command::Run::texts($suite,
        { %{$run}, $imported ? (misprints => $imported) : () }, $by);
    return $form{ $suite->{option}{csv} ? '.csv' : $suite->{option}{html} ? '.html' : q{} };
}

# An imported report is scored by the baselines that it prints itself
sub printed_score_by {
    my ($suite, $run) = @_;
    my %set = map { $_->[1] => $_->[2] } @{ $suite->{catalogue}{categories} };
    my $all = { map { $_->[0] => $set{ $_->[1] } || [] } @{ $run->{categories} || [] } };
    return { baseline => printed_baseline($run), form => $run->{form} || '5', all => $all };
}

# What was read from elsewhere may hold any character
sub print_text {
    my ($text) = @_;
    utf8::encode($text) if utf8::is_utf8($text);
    print $text;
    return;
}

sub tell_unread {
    my ($file, $unread) = @_;
    for my $line (@{$unread}) {
        my ($number, $text, $why) = @{$line};
        print {*STDERR} visible("$file, line $number: not read, since $why: "),
            SpawnMeter::Measure::ProgramOutput::plain(substr $text, 0, 100), "\n";
    }
    return;
}

# Facts that are as long as a screen are shown by their beginning
sub doctor {
    my ($suite) = @_;
    my $system =
        SpawnMeter::Machine::Facts->new(binaries => $suite->{binaries}, tmp => $suite->{tmp});
    my $facts = $system->facts;
    print "What this machine is (goes with every result):\n";
    for my $name (sort keys %{$facts}) {
        my $value = defined $facts->{$name} ? $facts->{$name} : 'unknown';
        my @parts = $name eq 'vulnerabilities' ? split /; /, $value : ($value);
        printf "  %-18s %s\n", $name, shift @parts;
        printf "  %-18s %s\n", q{}, $_ for @parts;
    }
    my $copies = $suite->{option}{copies} ? $suite->{option}{copies}[-1] : $facts->{cpus_usable};
    my @advice = SpawnMeter::Report::Advice::advice($facts, $system->state($copies));
    print "\nWhat may disturb or limit a run here:\n";
    print map { wrapped('  -', $_) } @advice ? @advice : ('Nothing that can be seen.');
    return 0;
}

# A text after a mark, folded at 78 columns under its beginning
sub wrapped {
    my ($mark, $text) = @_;
    my ($line, $out) = ($mark, q{});
    for my $word (split q{ }, $text) {
        if (length("$line $word") > 78) { $out .= "$line\n"; $line = q{ } x length $mark }
        $line .= " $word";
    }
    return "$out$line\n";
}

1;
