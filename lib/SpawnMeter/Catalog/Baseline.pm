# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Baseline;

# Reads a baseline: index.base (default), index.base-NAME, another file of that form, or a run.
#
#   load(folder, name or undef, names of known tests) ->
#       { baseline => { test => rate }, form => '4.1' or '5', warnings => [...] }; or dies
#   parse_baseline(text, name of the file) -> { test => rate }; dies with file and line of a
#       malformed one.  Of its lines (name|time|label|sum|score|iterations) name and score are used

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::File qw(each_line named_fields slurp);

our @EXPORT_OK = qw(parse_baseline);

sub load {
    my ($folder, $name, $tests) = @_;
    my $file = find($folder, $name);
    my ($baseline, $form) =
        $file =~ /[.](?:json|part)\z/ ? (from_run($file), '5') : from_text($file);
    my %unknown = map { $_ => 1 } keys %{$baseline};
    delete @unknown{ @{$tests} };
    my @warnings = map { "$file: a baseline for '$_', which is not a test of this suite\n" }
        sort keys %unknown;
    return { baseline => $baseline, warnings => \@warnings, form => $form };
}

sub find {
    my ($folder, $name) = @_;
    return "$folder/index.base" if !defined $name;
    return $name if -e $name;
    return "$folder/index.base-$name" if $name =~ /^[\w.-]+$/ && -e "$folder/index.base-$name";
    my @there = map { m{/index[.]base-([^/]+)\z} ? $1 : () } glob "\Q$folder\E/index.base-*";
    die "unknown baseline '$name': neither a file nor one of: @there\n";
}

sub from_text {
    my ($file) = @_;
    die "$file: not a regular file\n" if !-f $file;
    my $text = slurp($file);
    die "$file: $!\n" if !defined $text;

    # A comment asks for the table of 4.1.0: one for all tests, with another end.
    my $form = $text =~ /^#[ \t]*form:[ \t]*4[.]1[ \t]*$/m ? '4.1' : '5';
    return (parse_baseline($text, $file), $form);
}

# -> the medians of a run with one copy, as they are printed, and as a report with this baseline
# prints them
sub from_run {
    my ($file) = @_;
    require SpawnMeter::Analysis::Results;    # ./Run list need not load them
    require SpawnMeter::Store::RunFile;
    my $run = SpawnMeter::Store::RunFile::load($file);
    my %baseline = map { $_->{test} => sprintf('%.1f', $_->{rate}) + 0 || $_->{rate} }
        grep { $_->{copies} == 1 && $_->{rate} } @{ SpawnMeter::Analysis::Results::results($run) };
    die "$file: contains no result with 1 copy\n" if !%baseline;
    return \%baseline;
}

my @FIELDS = (
    [ name => qr/^[\w.-]+\z/a, 'the name of a test' ],
    (map { [$_] } qw(time label sum)),
    [ score => qr/^(?=.*[1-9])\d{1,15}(?:[.]\d+)?\z/a, 'a number above 0' ],
    ['iterations'],
);

sub parse_baseline {
    my ($text, $file) = @_;
    my %baseline;
    my $take = sub {
        my ($name, $rate) = @{ named_fields(\@FIELDS, @_[ 1 .. $#_ ]) }{qw(name score)};
        die "$name already has a baseline\n" if $baseline{$name};
        $baseline{$name} = $rate;
    };
    each_line($file, $take, $text);
    die "$file: no baseline in it\n" if !%baseline;
    return \%baseline;
}

1;
