# SPDX-License-Identifier: GPL-2.0-or-later
package Faults::Stored;

# What a Run reported, what it stored, and which files it left (see Faults for "running").
#
#   left_files(running) -> names in its folders that belong neither to a stored run nor to
#       a journal
#   passes(running) -> { reported => passes on its standard error, failed ones left out,
#       shown => passes that ./Run show reads, text => what show printed }
#   lost(running, unstored => true) -> how many reported passes ./Run show does not read;
#       where nothing could be stored, how many reported tests are not in the report
#   stored(running) -> the first run that it stored, as its file has it

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::RunFile;
use TestHelp;

our @EXPORT = qw(left_files passes lost stored);

sub names_in {
    my ($folder) = @_;
    opendir my $in, $folder or return;
    return grep { !/^[.][.]?\z/ } readdir $in;
}

# A stored run is whole, or it is a journal; neither exists without its log
sub left_files {
    my ($run) = @_;
    my @files = names_in($run->{results});
    my %exists = map { $_ => 1 } @files;
    my $stored = qr/^[\w.-]+-\d{4}-\d\d-\d\d-\d\d(?:[.](?:json|html|csv|log|part|svg|png))?\z/;
    my @left = (
        (map { "tmp/$_" } names_in($run->{tmp})),
        map { "results/$_" } grep { $_ !~ $stored } @files
    );
    for my $name (map { /^(.*)[.]log\z/ ? $1 : () } @files) {
        push @left, "results/$name.log alone"
            if !$exists{"$name.json"} && !$exists{"$name.part"};
    }
    return @left;
}

# The titles of the tests, one for each pass that was measured
sub reported {
    my ($run) = @_;
    return (slurp_file($run->{err}) || q{}) =~
        /^  (\S.*?) +\d+ pass(?:es)? (?!.*(?:failed|skipped):)/mg;
}

sub passes {
    my ($run) = @_;
    my $reported = () = reported($run);
    my $printed = slurp_file($run->{out}) || q{};
    my ($named) = $printed =~ /^Stored: (.*)$/m;
    my ($stored) = grep { -f && !-l } defined $named ? "$run->{results}/$named.json" : (),
        reverse sort glob "\Q$run->{results}\E/*.{json,part}";
    return { reported => $reported, shown => 0, text => q{} } if !defined $stored;
    my $show =
        command({}, "$run->{tree}/Run", 'show', $printed =~ /^   Measured: /m ? '-v' : (), $stored);
    die "show $stored: $show->{status}: $show->{err}\n" if $show->{status} != 0;
    my $shown =
        grep { $_->{status} eq 'ok' } @{ SpawnMeter::Store::RunFile::load($stored)->{passes} };
    return { reported => $reported, shown => $shown, text => $show->{out} };
}

sub stored {
    my ($run) = @_;
    my ($file) = glob "\Q$run->{results}\E/*.json";
    return SpawnMeter::Store::RunFile::load($file);
}

sub lost {
    my ($run, %how) = @_;
    if ($how{unstored}) {
        my %titles = map { $_ => 1 } reported($run);
        return scalar grep { $run->{out_text} !~ /^\Q$_\E +\d/m } keys %titles;
    }
    my $passes = passes($run);
    my $lost = $passes->{reported} - $passes->{shown};
    return $lost > 0 ? $lost : 0;
}

1;
