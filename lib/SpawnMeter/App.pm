# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::App;

# Calls the command that a command line names.
#
#   main(root folder of the suite, arguments) -> exit status: 0 all tests were measured or
#       skipped; 1 a test failed, the run is incomplete, or its report could not be stored or
#       printed; 2 wrong use; 128 + signal where a signal stopped it; for --bisect see %FOR_GIT
#   suite(root, options, arguments) -> suite record, which every command takes

use strict;
use warnings;
use Cwd                          ();
use Errno                        ();
use File::Spec                   ();
use IO::Handle                   ();
use POSIX                        ();
use SpawnMeter::Analysis::Record qw(record);
use SpawnMeter::Catalog::Tests   ();
use SpawnMeter::Options;
use SpawnMeter::Options::Table qw(command commands option passed_on);
use SpawnMeter::Util::File     qw(slurp writable);
use SpawnMeter::Util::Format   qw(shortened visible_lines);
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Programs;
use SpawnMeter::Util::Terminal qw(colours fitted print_error);

use constant COMMAND_MAX => 100_000;    # characters of the command line in a report

# Of --bisect: git bisect run skips a commit with 125, and ends with 128 and more
my %FOR_GIT = (2 => 128, 3 => 125);

sub main {
    my ($root, @arguments) = @_;
    POSIX::setlocale(POSIX::LC_ALL(), 'C');
    set_signals();
    clean_environment();
    umask(umask() & oct 77);    # the owner of a run can always read its files
    my $status = eval { dispatch($root, @arguments) };
    $status = defined $status ? printed($status) : failed($@);
    my $is_bisect = grep { $_ eq '--bisect' } @arguments;
    return $is_bisect ? $FOR_GIT{$status} // $status : $status;
}

sub failed {
    my ($why) = @_;
    print {*STDERR} fitted('Run: ' . visible_lines($why), \*STDERR);
    return 2;
}

# Sets the handlers of the whole process; they stay to its end, so they are not local.
sub set_signals {
    $SIG{PIPE} = 'IGNORE';
    $SIG{CHLD} = 'DEFAULT';
    $SIG{XFSZ} = 'IGNORE';    # then write(2) fails where a file must not grow
    my $owner = $$;
    for my $name (SpawnMeter::Util::Process::handled_signals()) {
        my $status = SpawnMeter::Util::Process::status_of_signal($name);
        $SIG{$name} = sub { stop($status) if $$ == $owner };
    }
    POSIX::sigprocmask(POSIX::SIG_SETMASK(), POSIX::SigSet->new);
    return;
}

# exit alone is not enough: if the signal arrives in a scope with a local $? (as in the
# destructor of File::Temp) that scope would restore the old status
my $stopped_with;
sub stop { ($stopped_with) = @_; exit $stopped_with }
END { $? = $stopped_with if defined $stopped_with }

# Removes the variables by which make or a shell would run other programs or read other files
sub clean_environment {
    my @folders = grep { m{^/} } split /:/, $ENV{PATH} // q{};
    $ENV{PATH} = @folders ? join(q{:}, @folders) : SpawnMeter::Util::Programs::PATH();
    delete @ENV{qw(BASH_ENV ENV CDPATH IFS MAKEFILES GNUMAKEFLAGS GREP_OPTIONS)};
    return;
}

# A report that cannot be written is a failure, unless the reader closed the pipe (| head)
sub printed {
    my ($status) = @_;
    return $status if STDOUT->flush && !STDOUT->error;
    my $error = print_error() || $! + 0;
    local $! = $error;
    return $status if $!{EPIPE};
    print {*STDERR} "Run: cannot write the output: $!\n";
    return $status || 1;
}

sub dispatch {
    my ($root, @arguments) = @_;
    my $option = SpawnMeter::Options::parse(@arguments);
    if ($option->{version}) {
        print 'SpawnMeter ', slurp("$root/VERSION"), "\n";
        return 0;
    }
    my ($name) = @{ $option->{names} };
    if ($option->{help} || $name eq 'help') {    # without reading the lists of tests
        require SpawnMeter::Help;
        return SpawnMeter::Help::run($root, $option);
    }
    my $suite = suite($root, $option, @arguments);
    SpawnMeter::Options::check_tests($option, $suite->{catalog});

    # Loading all modules would take most of the time of ./Run list.
    my $module = 'SpawnMeter::Command::' . command($name)->{module};
    require($module =~ s{::}{/}gr . '.pm');
    return $module->can('run')->($suite);
}

sub suite {
    my ($root, $option, @arguments) = @_;
    my $version = slurp("$root/VERSION");
    my $folders = folders($root, $version, $option->{output});
    my ($tests, $sweeps) =
        map { -e "$folders->{binaries}/$_" ? "$folders->{binaries}/$_" : "$root/pgms/$_" }
        qw(tests.list sweeps.list);
    my $catalog = SpawnMeter::Catalog::Tests::load($tests);
    return record(
        suite       => %{$folders},
        root        => $root,
        sweeps_list => $sweeps,
        catalog     => $catalog,
        version     => $version,
        option      => $option,
        colours     => colours(\*STDOUT, $option->{color} || 'auto'),
        commands    => [ commands() ],
        cache       => scalar users('XDG_CACHE_HOME', '.cache'),
        feature_of  => { map { $_ => option($_)->{feature} } passed_on() },
        command     => shortened(join(q{ }, './Run', map { quoted($_) } @arguments), COMMAND_MAX),
    );
}

# An argument as a user would type it in a shell
sub quoted {
    my ($text) = @_;
    return $text if $text =~ m{^[\w./,:=%+@-]+$};
    utf8::decode($text);
    return q{'} . $text =~ s/[^[:print:]]/?/gr =~ s/'/'\\''/gr . q{'};
}

# ---- folders ----
#
# Where programs, results and temporary files are: in the tree that Run is in, if it can be
# written to; otherwise, and where Run was installed, in the user's folders.  The UB_ variables
# override all of this.  Nothing is created.
#
#   folders(root, version, folder for the results that the user named, or undef) -> { binaries,
#       results, testdir, tmp => folders; work => folder in which make builds the binaries, or
#       undef where they are not built; notice => where results are, if not in the tree, or undef;
#       state => folder for what must outlive Run, which no variable moves }

# The variables that move folders
my %MOVED_BY = (
    binaries => 'UB_BINDIR',
    results  => 'UB_RESULTDIR',
    testdir  => 'UB_TESTDIR',
    tmp      => 'UB_TMPDIR',
);

sub folders {
    my ($root, $version, $output) = @_;
    my $installed = slurp("$root/installed");  # make install names the folder of the programs in it
    my $in_tree = !defined $installed;
    my ($programs) = ($installed || q{}) =~ /^programs (.+)$/m;
    my $own = sub { $in_tree && usable("$root/$_[0]") ? "$root/$_[0]" : () };
    my @cache = users('XDG_CACHE_HOME', '.cache');
    my @state = users('XDG_STATE_HOME', '.local/state');
    my %folder = (
        binaries => File::Spec->rel2abs($programs || 'pgms', $root),
        work     => $in_tree ? "$root/build" : undef,
        results  => ($own->('results'), users_results())[0],
        testdir  => "$root/testdir",

        # on the disk that the user's files are on, since the file tests use it
        tmp   => ($own->('tmp'), map({ "$_/tmp" } @cache), File::Spec->tmpdir)[0],
        state => ($own->('tmp'), @state, File::Spec->tmpdir)[0],
        $in_tree && !usable("$root/pgms") ? elsewhere($root, $version, @cache) : (),
    );
    my %named = map { $_ => $ENV{ $MOVED_BY{$_} } } keys %MOVED_BY;
    $named{results} = $output if defined $output;
    for my $name (grep { length($named{$_} // q{}) } keys %named) {
        $folder{$name} = File::Spec->rel2abs($named{$name});
        $folder{work} = undef if $name eq 'binaries';
    }
    my $is_told = length($named{results} // q{}) || index($folder{results}, "$root/") == 0;
    return { %folder, notice => $is_told ? undef : "Results are stored in $folder{results}\n" };
}

# Where the programs of a tree that cannot be written to, and has none, are built
sub elsewhere {
    my ($root, $version, $cache) = @_;
    require SpawnMeter::Measure::Build;    # rarely needed, and loads others
    return if !defined $cache || SpawnMeter::Measure::Build::is_built($root);
    require Digest::SHA;
    my $own = "$cache/$version-" . substr Digest::SHA::sha1_hex($root), 0, 8;
    return (binaries => "$own/pgms", work => "$own/build");
}

# A path that exists and is no folder stays the default, so that it is reported as an error.
sub usable { my ($folder) = @_; return -e $folder && !-d _ || writable($folder) }

# The current folder's results, if it has some; then the user's folder for data
sub users_results {
    my $here = Cwd::getcwd();
    my @current = defined $here ? ($here =~ s{/\z}{}r) . '/results' : ();
    my @there = grep { -d && writable($_) } @current;
    return (@there, users('XDG_DATA_HOME', '.local/share'), @current, 'results');
}

# -> the folder spawnmeter in the named one or the home, if it can be written to or created
sub users {
    my ($variable, $below_home) = @_;
    my $home = defined $ENV{HOME} && -d $ENV{HOME} ? "$ENV{HOME}/$below_home" : undef;
    my $named = $ENV{$variable};
    my ($base) = grep { defined && m{^/} } $named, $home;
    return defined $base && writable("$base/spawnmeter") ? "$base/spawnmeter" : ();
}

1;
