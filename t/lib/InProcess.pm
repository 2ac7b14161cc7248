# SPDX-License-Identifier: GPL-2.0-or-later
package InProcess;

# ./Run in a copy of this process, without a new perl: the code that a check loads is the
# code that runs, and make cover counts it.  A module that one run has loaded is compiled before
# the next one, once for all that follow.
#
#   in_child({ env => { variables; undef: unset }, stdin => path, stdout => path, folder },
#       sub -> exit status) -> { status, out, err }
#   small_tree() -> folder of a suite whose test programs are stand-ins that print the same
#       result at once, and so is gnuplot, which takes long: nothing is built, measured or drawn
#   gnuplot_in(folder) -> PATH that begins with this folder, in which such a gnuplot is made
#   newest(tree) -> the run that was stored last
#   run_in(tree, { as above }, arguments of Run) -> { status, out, err }; of a machine that is idle:
#       stand-ins take some ms, in which CPU time that the host steals would flag every pass

use strict;
use warnings;
use Exporter 'import';
use File::Temp ();
use TestHelp;
use lib "$ROOT/lib";    # a run can be in another folder
use BusyMachine ();
use SpawnMeter::App;
use SpawnMeter::Store::RunFile;

our @EXPORT = qw(gnuplot_in in_child newest small_tree run_in);

sub in_child {
    my ($with, $sub) = @_;
    my ($out, $err, $loaded) = map { File::Temp->new } 1 .. 3;
    my $pid = fork;
    die "fork: $!" if !defined $pid;
    if ($pid == 0) {
        open STDIN, '<', $with->{stdin}   || '/dev/null' or die;
        open STDOUT, '>', $with->{stdout} || "$out"      or die;
        open STDERR, '>', "$err" or die;
        my %set = (TERM => 'dumb', %{ $with->{env} || {} });
        @ENV{ keys %set } = values %set;
        delete @ENV{ grep { !defined $set{$_} } keys %set };
        chdir $with->{folder} if $with->{folder};
        my $status = eval { $sub->() };
        print {*STDERR} $@ if !defined $status;
        spew("$loaded", join "\n", grep { /^SpawnMeter\b/ } keys %INC);
        exit(defined $status ? $status : 255);
    }
    waitpid $pid, 0;
    my $status = exit_status($?);
    require for grep { !$INC{$_} } split /\n/, slurp_file("$loaded");
    return { status => $status, out => slurp_file("$out"), err => slurp_file("$err") };
}

sub small_tree {
    my $tree = scratch();
    mkdir "$tree/$_" or die "$tree/$_: $!" for qw(pgms testdir results tmp);
    symlink "$ROOT/$_", "$tree/$_" for qw(VERSION plots published results/reference);
    spew("$tree/Run", slurp_file("$ROOT/Run"));    # each tree has a lock of its own
    symlink $_, "$tree/pgms/" . s{.*/}{}r
        for glob "\Q$ROOT\E/pgms/*.list \Q$ROOT\E/pgms/index.base*";
    my @programs = map { m{([^/]+)[.]c\z} } glob "\Q$ROOT\E/src/*.c";
    symlink "$ROOT/t/programs/good", "$tree/pgms/$_" for @programs, qw(true-dynamic start-dynamic);
    mkdir "$tree/pgms/static" or die "$tree/pgms/static: $!";
    symlink "$ROOT/t/programs/good", "$tree/pgms/static/$_" for @programs;
    spew("$tree/Makefile", "all static:\n");
    gnuplot_in("$tree/bin");
    return $tree;
}

sub gnuplot_in {
    my ($folder) = @_;
    mkdir $folder or die "$folder: $!";
    executable("$folder/gnuplot", qq{echo '<svg></svg>' >"\$4"\n});
    return "$folder:$ENV{PATH}";
}

sub newest {
    my ($tree) = @_;
    return SpawnMeter::Store::RunFile::load((reverse sort glob "\Q$tree\E/results/*.json")[0]);
}

my %UNSET = map { $_ => undef }
    qw(UB_BINDIR UB_RESULTDIR UB_TESTDIR UB_TMPDIR UB_CLASSIC UB_OUTPUT_CSV UB_OUTPUT_FILE_NAME);

sub run_in {
    my ($tree, $with, @arguments) = @_;
    my %path = -d "$tree/bin" ? (PATH => "$tree/bin:$ENV{PATH}") : ();
    my %with = (%{$with}, env => { %UNSET, %path, %{ $with->{env} || {} } });
    my $run = sub {
        BusyMachine->import(0);
        return SpawnMeter::App::main("$tree", @arguments);
    };
    return in_child(\%with, $run);
}

1;
