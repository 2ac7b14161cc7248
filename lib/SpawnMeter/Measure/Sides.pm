# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Sides;

# The two states that ./Run ab compares, from its options.
#
#   sides(options) -> (side A, side B): side records; dies where nothing says what they are, a
#       command that starts the programs does not exist, or a folder of programs is none
#   check_programs([sides], [tests]): dies where a folder of programs lacks those of a test

use strict;
use warnings;
use Exporter 'import';
use File::Spec                   ();
use SpawnMeter::Analysis::Record qw(side);
use SpawnMeter::Measure::Build;
use SpawnMeter::Util::File qw(no_folder);
use SpawnMeter::Util::Programs;
use Text::ParseWords ();

our @EXPORT_OK = qw(sides check_programs);

my $NOTHING = <<'END';
ab: needs what B is (or A, by --wrap-a and so on): --wrap-b CMD,
--set-b CMD, --programs-b DIR, or --b '--heap 1G' (options of the programs)
END

sub sides {
    my ($option) = @_;
    my @given = grep { defined $option->{$_} }
        map { ($_, "wrap-$_", "programs-$_", "set-$_") } qw(a b);
    die $NOTHING if !@given;

    # both sides are measured alike: without a gate there is no common window of several copies
    my $gated = grep({ defined $option->{"stop-$_"} } qw(a b)) ? 0 : 1;
    return map { { %{ side_of($option, $_) }, gated => $gated } } qw(a b);
}

sub side_of {
    my ($option, $name) = @_;
    my $programs = folder("--programs-$name", $option->{"programs-$name"});
    return side(
        name    => uc $name,
        wrap    => scalar wrap("--wrap-$name", $option->{"wrap-$name"}),
        options => $option->{$name} || [],
        set     => $option->{"set-$name"},
        stop    => $option->{"stop-$name"},
        defined $programs
        ? (programs => $programs, build => [ built($programs) ])
        : (),
    );
}

# -> [words], the first one an absolute path; undef without a command
sub wrap {
    my ($name, $command) = @_;
    return if !defined $command;
    my ($program, @arguments) = Text::ParseWords::shellwords($command);
    die "$name: '$command' has no words; check its quotes\n" if !defined $program;
    my $path =
        $program =~ m{/}
        ? File::Spec->rel2abs($program)
        : SpawnMeter::Util::Programs::found($program);
    die "$name: there is no program '$program' in PATH\n" if !defined $path;
    die "$name: $program: " . (-e $path ? 'cannot be executed' : 'no such file') . "\n"
        if !-f $path || !-x _;
    return [ $path, @arguments ];
}

sub folder {
    my ($name, $folder) = @_;
    return if !defined $folder;
    die "$name: $folder: ", no_folder($folder), "\n" if !-d $folder;
    return File::Spec->rel2abs($folder);
}

# What one of its programs says about all of them
sub built {
    my ($folder) = @_;
    my ($program) = grep { -f "$folder/$_" && -x _ } qw(fork vfork posix_spawn);
    return defined $program ? SpawnMeter::Measure::Build::facts("$folder/$program") : ();
}

sub check_programs {
    my ($sides, $tests) = @_;
    my %needed = map { $_->{program} => 1 } grep { !$_->{tree} } @{$tests};
    for my $side (grep { defined $_->{programs} } @{$sides}) {
        my @missing =
            grep { !-f "$side->{programs}/$_" || !-x _ } sort keys %needed, 'true-dynamic';
        die '--programs-' . lc($side->{name}), ": $side->{programs} lacks ",
            join(', ', @missing), '; ',
            "make BINDIR=$side->{programs} builds all; or name tests that both sides have\n"
            if @missing;
    }
    return;
}

1;
