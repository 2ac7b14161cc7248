# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::App;

# Calls the command that a command line names.
#
#   main(root folder of the suite, arguments) -> exit status: 0 all tests were measured or
#       skipped; 1 a test failed, the run is incomplete, or its report could not be stored or
#       printed; 2 wrong use; 128 + signal where a signal stopped it
#   suite(root, options, arguments) -> what every command takes: { root => folder; those of
#       SpawnMeter::Folders; sweeps_list => file, catalog, version, option => options,
#       colours => true where what is printed for people has colours, commands => [names],
#       command => the command line as a user would type it }

use strict;
use warnings;
use Errno                      ();
use IO::Handle                 ();
use POSIX                      ();
use SpawnMeter::Catalog::Tests ();
use SpawnMeter::Folders;
use SpawnMeter::Options;
use SpawnMeter::Options::Table;
use SpawnMeter::Util::File   qw(slurp);
use SpawnMeter::Util::Format qw(visible_lines);
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Programs;
use SpawnMeter::Util::Terminal qw(colours print_error);

sub main {
    my ($root, @arguments) = @_;
    POSIX::setlocale(POSIX::LC_ALL(), 'C');
    set_signals();
    clean_environment();
    umask(umask() & oct 77);    # the owner of a run can always read its files
    my $status = eval { dispatch($root, @arguments) };
    return printed($status) if defined $status;
    print {*STDERR} 'Run: ', visible_lines($@);
    return 2;
}

# Not local: they must stay to the end of the process
sub set_signals {
    $SIG{PIPE} = 'IGNORE';
    $SIG{CHLD} = 'DEFAULT';
    $SIG{XFSZ} = 'IGNORE';      # then write(2) fails where a file must not grow
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
    my @folders = grep { m{^/} } split /:/, defined $ENV{PATH} ? $ENV{PATH} : q{};
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

    # ./Run help --pin asks about an option, and gives none
    my $is_help = @arguments && $arguments[0] eq 'help';
    my $option = $is_help ? { names => [@arguments] } : SpawnMeter::Options::parse(@arguments);
    return version($root) if $option->{version};
    my ($name) = @{ $option->{names} };
    if ($option->{help} || $name eq 'help') {    # without reading the lists of tests
        require SpawnMeter::Help;
        return SpawnMeter::Help::run($root, $option);
    }
    my $suite = suite($root, $option, @arguments);
    SpawnMeter::Options::check_tests($option, $suite->{catalog});
    return command($name)->($suite);
}

# Its run().  Only the module of the command that is called is loaded: most of the time of ./Run
# list would be that of the others
sub command {
    my ($name) = @_;
    my $module = 'SpawnMeter::Command::' . SpawnMeter::Options::Table::command($name)->{module};
    require($module =~ s{::}{/}gr . '.pm');
    return $module->can('run');
}

sub version {
    my ($root) = @_;
    print 'SpawnMeter ', slurp("$root/VERSION"), "\n";
    return 0;
}

sub suite {
    my ($root, $option, @arguments) = @_;
    my $version = slurp("$root/VERSION");
    my $folders = SpawnMeter::Folders::folders($root, $version, $option->{output});
    my ($tests, $sweeps) =
        map { -e "$folders->{binaries}/$_" ? "$folders->{binaries}/$_" : "$root/pgms/$_" }
        qw(tests.list sweeps.list);
    return {
        %{$folders},
        root        => $root,
        sweeps_list => $sweeps,
        catalog     => SpawnMeter::Catalog::Tests::load($tests),
        version     => $version,
        option      => $option,
        colours     => colours(\*STDOUT, $option->{color} || 'auto'),
        commands    => [ SpawnMeter::Options::Table::commands() ],
        command     => join(q{ }, './Run', map { quoted($_) } @arguments),
    };
}

# An argument as a user would type it in a shell
sub quoted {
    my ($text) = @_;
    return $text if $text =~ m{^[\w./,:=%+@-]+$};
    my $printable = $text =~ s/[^\x20-\x7e]/?/gr;
    return q{'} . $printable =~ s/'/'\\''/gr . q{'};
}

1;
