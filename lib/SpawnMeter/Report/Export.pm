# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export;

# Runs in the formats that other tools read.  Each module below Report::Export is one format,
# which registers itself.
#
#   register(format, render => sub of exports that returns the text, any => true where it holds
#       every kind of run, not only runs of tests, many => true where it can hold more than one
#       run, passes => true where it consists of passes)
#   formats() -> their names; render() knows them only then
#   render(format, export, ...) -> text; dies where the format cannot hold these runs
#
# An export is { run => run record, name, passes => those of Analysis::Disturbance::judged,
# blocks => scored ones of Analysis::Results, for a sweep none }.
#
# For the formats:
#
#   results(export) -> result records of all its blocks
#   lost(export) -> those of tests that failed or were skipped
#   of_copies(mark, result) -> the mark and its number of copies; empty where a posted text does not
#       state it
#   name(result) -> its test and number of copies, as a word
#   unit(result) -> its unit, as a word
#   digits(number) -> with at most ten significant digits and no exponent in usual ranges
#   number(number) -> the same as a number, for JSON
#   word(text) -> the text with nothing but letters, digits, dot, dash and underscore

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Results qw(is_of_tests);
use SpawnMeter::Util::Format      qw(visible);
use SpawnMeter::Util::File        qw(encode);

our @EXPORT_OK = qw(register results lost of_copies name unit digits number word);

my %FORMAT;
my %KIND = (sweep => 'a sweep', equals => 'an A/A run of 0.5', ab => 'an A/B run');

sub register {
    my ($name, %format) = @_;
    $FORMAT{$name} = \%format;
    return;
}

sub formats {
    opendir my $folder, __FILE__ =~ s/[.]pm\z//r or die __FILE__, ": $!\n";
    require(__PACKAGE__ =~ s{::}{/}gr . "/$_") for grep { /[.]pm\z/ } readdir $folder;
    return sort keys %FORMAT;
}

sub render {
    my ($name, @exports) = @_;
    my $format = $FORMAT{$name};
    my $with = sub {
        my ($what) = @_;
        join ' or ', grep { $FORMAT{$_}{$what} } formats();
    };
    die "export: $name holds one run, got ", scalar @exports, '; use ', $with->('many'), "\n"
        if @exports > 1 && !$format->{many};
    for my $export (@exports) {
        my $run = $export->{run};
        my $shown = visible($export->{name});
        my $kind = $KIND{ $run->{sweep} ? 'sweep' : $run->{kind} };
        die "export: $name cannot hold $kind ($shown); use ", $with->('any'), "\n"
            if !$format->{any} && !is_of_tests($run);
        die "export: $shown has no passes, and $name consists of passes\n"
            if $format->{passes} && !@{ $run->{passes} };
    }
    return $format->{render}->(@exports);
}

sub results {
    my ($export) = @_;
    return map { @{ $_->{results} } } @{ $export->{blocks} };
}

sub lost {
    my ($export) = @_;
    return map { @{ $_->{lost} } } @{ $export->{blocks} };
}

sub of_copies {
    my ($mark, $result) = @_;
    return $result->{copies} ? $mark . $result->{copies} : q{};
}

sub name { my ($result) = @_; return word($result->{test}) . of_copies('-copies-', $result) }

sub unit {
    my ($result) = @_;
    return defined $result->{unit} ? word($result->{unit}) : 'lps';
}

sub digits { my ($number) = @_; return sprintf '%.10g', $number }
sub number { my ($number) = @_; return 0 + digits($number) }

sub word {
    my ($text) = @_;
    return $text =~ s/[^A-Za-z0-9._-]+/_/gr;
}

# ---- json ----
#
# The run file, as Store::RunFile stores it.

register('json', render => sub { encode($_[0]{run}) . "\n" }, any => 1);

1;
