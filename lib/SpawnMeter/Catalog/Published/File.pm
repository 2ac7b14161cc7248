# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Published::File;

# Reads the file of a published experiment.  The manual page (./Run help, PUBLISHED EXPERIMENTS)
# describes its lines.
#
#   read_file(path) -> experiment, as SpawnMeter::Catalog::Published has it; dies with
#       "file, line N: expected ..., found ..."

use strict;
use warnings;
use Exporter 'import';
use List::Util                            qw(first);
use SpawnMeter::Catalog::Published::Claim qw(points);
use SpawnMeter::Catalog::Published::Lines qw(add_line label_in new_experiment);

our @EXPORT_OK = qw(read_file);

use constant SIZE_MAX => 1_000_000;    # bytes of a file

sub read_file {
    my ($path) = @_;
    my ($name) = $path =~ m{([^/]+?)(?:[.]txt)?\z};
    die "$path: expected a name of small letters, digits, points and hyphens, found '$name'\n"
        if $name !~ /^[a-z\d][a-z\d.-]{0,39}\z/;
    die "$path: expected a file, found a folder\n" if -d $path;
    my $experiment = new_experiment($name);
    open my $in, '<', $path or die "$path: $!\n";
    die "$path: expected at most ${\SIZE_MAX} bytes, found more\n" if -s $in > SIZE_MAX;
    while (my $line = <$in>) {
        my $problem = add_line($experiment, $line, $.);
        die "$path, line $.: $problem\n" if defined $problem;
    }
    close $in or die "$path: $!\n";
    my ($line, $problem) = whole($experiment);
    die "$path, line $line: $problem\n" if defined $problem;
    return $experiment;
}

# ---- what only the whole file shows -------------------------------------------------

# -> (line number, what is wrong), or nothing
sub whole {
    my ($experiment) = @_;
    for my $key (qw(title source address)) {
        my $value = $experiment->{$key};
        return (1, "expected a line '$key', found none")
            if !defined $value || ref $value && !@{$value};
    }
    my $cells = cells_named($experiment);
    return (1, "expected 'measure' lines or 'row' lines, found neither")
        if !%{$cells} && !@{ $experiment->{rows} } && !@{ $experiment->{also} };
    return claims_of_whole($experiment, $cells);
}

sub claims_of_whole {
    my ($experiment, $cells) = @_;
    for my $claim (@{ $experiment->{claims} }) {
        return ($claim->{line}, q{expected a line 'if' or 'lacks' below the claim, found neither})
            if !@{ $claim->{conditions} } && !defined $claim->{lacks};
        for my $condition (@{ $claim->{conditions} }) {
            my $lost = first { !$cells->{"$_->{label} $_->{series}"} } @{ points($condition) };
            return ($condition->{line}, lost($lost, $cells)) if $lost;
        }
    }
    return;
}

sub lost {
    my ($point, $cells) = @_;
    my @known = sort map { "($_->[0], $_->[1])" } values %{$cells};
    splice @known, 5, @known - 5, '...' if @known > 6;
    return "expected a point that is measured, such as @known,"
        . " found ($point->{series}, $point->{label})";
}

# { "label series" => [series, label] }, as the lines name them
sub cells_named {
    my ($experiment) = @_;
    my %cell;
    for my $part (@{ $experiment->{parts} }) {
        for my $measure (@{ $part->{measures} }) {
            my @series = map {
                join q{ }, map { split /,/ } split /:/, $_, 2
            } @{ $measure->{tests} };
            for my $label (map { (split /=/, $_, 2)[0] } @{ $measure->{values} }) {
                my $whole = label_in($part, $label);
                $cell{"$whole $_"} = [ $_, $whole ] for @series;
            }
        }
    }
    return \%cell;
}

1;
