# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Resume;

# An ab run that is taken up again (--resume).
#
#   earlier(suite, { sides, tests, settings, copies => [numbers] }) -> the run that --resume
#       names; dies where it is not one of the same sides, tests, machine and build, or was
#       measured in another way

use strict;
use warnings;
use Exporter 'import';
use POSIX                             ();
use SpawnMeter::Analysis::Fingerprint qw(differences pinning);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Measure::Build;
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Json qw(encode);

our @EXPORT_OK = qw(earlier);

# What makes a side
my @OF_SIDE = qw(name wrap stop set programs options build);

sub earlier {
    my ($suite, $now) = @_;
    my $name = $suite->{option}{resume};
    my ($file, @others) = SpawnMeter::Store::Find::files($suite, $name, 'ab');
    die "--resume $name: names " . (1 + @others) . " runs; give one\n" if @others;
    my $run = SpawnMeter::Store::RunFile::load($file);
    die "--resume $name: not a run of ./Run ab\n" if ($run->{kind} || q{}) ne 'ab';
    my @different = different($suite, $run, $now);
    die "--resume $name: that run has other "
        . join(', ', @different)
        . "; give the same command line, with --resume\n"
        if @different;
    return $run;
}

# -> (what is not the same)
sub different {
    my ($suite, $run, $is) = @_;
    my $option = $suite->{option};
    my %other = map { $_->{copies} => 1 } @{ $run->{passes} };
    delete @other{ @{ $is->{copies} } };
    my %now = (
        sides   => same_text(map { parts($_) } @{ $is->{sides} }),
        tests   => same_text(sort map { $_->{name} } @{ $is->{tests} }),
        options => same_text(map { @{$_} } @{$option}{qw(pass_on target_arguments)}),
        copies  => same_text(),
        build   => same_text(build_now($suite, $is->{tests})),
        host    => (POSIX::uname())[1],
        ways($is->{settings}, $option->{'set-back'}),
    );
    my %then = (
        sides   => same_text(map { parts($_) } @{ $run->{sides} }),
        tests   => same_text(sort map { $_->{name} } @{ $run->{tests} }),
        options => same_text(@{ $run->{options} || [] }),
        copies  => same_text(sort keys %other),
        build   => same_text(unbound(@{ $run->{build} || [] })),
        host    => $run->{host},
        ways($run->{protocol}, $run->{set_back}),
    );
    my @different = grep { $now{$_} ne $then{$_} } sort keys %now;
    return @different if @different;
    my %system = (%{ $run->{system} }, %{ facts($suite) });
    my $found = differences({ run => $run }, { run => { %{$run}, system => \%system } });
    return map { $_->{fact} } @{ $found->{incomparable} };
}

sub ways {
    my ($settings, $back) = @_;
    return (
        '--pin'      => scalar pinning($settings),
        '--slice'    => 1 * $settings->{slice},
        '--turns'    => $settings->{turns} || 0,
        '--set-back' => defined $back ? $back : q{},
    );
}

# When symbols are bound depends on the program that is asked
sub build_now {
    my ($suite, $tests) = @_;
    my ($program) = grep { defined } map { $_->{program} } @{$tests};
    return unbound(SpawnMeter::Measure::Build::facts("$suite->{binaries}/$program"));
}

sub unbound {
    my (@facts) = @_;
    return map { s/, symbols bound .*//r } @facts;
}

sub parts {
    my ($side) = @_;
    return { map { $_ => $side->{$_} } @OF_SIDE };
}

sub same_text { my (@parts) = @_; return encode(\@parts) }

sub facts {
    my ($suite) = @_;
    return SpawnMeter::Machine::Facts->new(
        binaries => $suite->{binaries},
        tmp      => $suite->{tmp}
    )->facts;
}

1;
