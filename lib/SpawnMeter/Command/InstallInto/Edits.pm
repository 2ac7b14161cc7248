# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::InstallInto::Edits;

# What becomes of the files of a UnixBench tree when the process tests are put into it.
#
#   edited({ file => text }, what) -> { file => new text }; dies with all that does not fit.
#       The files are Run, USAGE and pgms/index.base, and what is that of
#       SpawnMeter::Command::InstallInto.  A pure function

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(edited);

# A test in the tree's table of parameters
sub parameters {
    my ($test) = @_;
    return <<"END";
    "$test->{name}" => {
        "logmsg" => "$test->{title}",
        "cat"    => 'process',
        "repeat" => 'long',
        "options" => "10",
    },
END
}

# The places where something is inserted, in the style of the tree: { file, name => in
# messages, pattern => that must match once, before or after => text that is inserted, or
# sub (what the pattern captured) -> text }
sub places {
    my ($what) = @_;
    return (
        places_in_run($what->{tests}),
        places_in_usage($what->{tests}),
        {
            file    => 'pgms/index.base',
            name    => 'the baseline of spawn',
            pattern => qr/^spawn\|[^\n]*\n/m,
        }
    );
}

sub places_in_run {
    my ($tests) = @_;
    my $names = join q{, }, map { qq{"$_->{name}"} } @{$tests};
    $names =~ s/((?:"\w+", ){4}"\w+"), /$1,\n    /;
    my $entries = join q{}, map { sprintf qq{    %-15s => undef,\n}, qq{"$_->{name}"} } @{$tests};
    my $line = '    ' . q{#} x 26 . "\n";
    my @places = (
        {
            name    => 'the category system',
            pattern =>
                qr/^ {4}'system' +=> \{ 'name' => "System Benchmarks", 'maxCopies' => (\d+) \},\n/m,
            after => sub {
                my ($copies) = @_;
                my $category = qq({ 'name' => "Process Benchmarks", 'maxCopies' => $copies });
                return "    'process'   => $category,\n";
            },
        },
        {
            name    => 'the list $index',
            pattern => qr/^my \$index = \[\n(?:[^\n\]]*\n)*\];\n/m,
            after   => "\n# Ways to create a process: the SpawnMeter extension.\n"
                . "my \$process = [\n    $names\n];\n",
        },
        {
            name    => 'the test sysexec in the list of tests',
            pattern => qr/^ {4}"sysexec" +=> undef,\n/m,
            after   => $entries,
        },
        {
            name    => 'the group shell',
            pattern => qr/^ {4}"shell" +=> \[ "shell1"[^\n]*\],\n/m,
            after   => qq{    "process"       => \$process,\n},
        },
        {
            name    => 'the parameters of shell16',
            pattern => qr/^ {4}"shell16" => \{\n(?: {8}[^\n]*\n)+ {4}\},\n/m,
            after   => join(q{},
                "\n$line    ## Process Benchmarks   ##\n$line\n",
                map { parameters($_) } @{$tests}),
        },
    );
    return map { { %{$_}, file => 'Run' } } @places;
}

sub places_in_usage {
    my ($tests) = @_;
    my $listed = join q{}, map { sprintf "    %-16s %s\n", $_->{name}, $_->{title} } @{$tests};
    my @places = (
        {
            name    => 'the categories',
            pattern => qr/^ {3}system {3,}\S[^\n]*\n(?: {10,}[^\n]*\n)*/m,
            after   => "   process         Ways to create a process\n",
        },
        {
            name    => 'the end of the system tests',
            pattern => qr/^ {2}2d:\n/m,
            before  => "  process:\n$listed\n",
        },
    );
    return map { { %{$_}, file => 'USAGE' } } @places;
}

sub edited {
    my ($texts, $what) = @_;
    my %text = %{$texts};
    my @wrong = unfit(\%text, $what->{tests});
    for my $place (places($what)) {
        my ($file, $pattern) = @{$place}{qw(file pattern)};
        my $times = 0;
        $times++ while $text{$file} =~ /$pattern/g;
        push @wrong, "$file: $place->{name}: found $times times, expected once" if $times != 1;
        next if $times != 1;
        $text{$file} =~ s/($pattern)/inserted($place, $1, $2)/e;
    }
    die "this tree is not as expected:\n" . join(q{}, map { "  $_\n" } @wrong) if @wrong;
    $text{'pgms/index.base'} =~ s/\n*\z/\n\n$what->{baselines}/;
    return \%text;
}

sub inserted {
    my ($place, $found, $captured) = @_;
    my ($before, $after) = map { defined $_ ? $_ : q{} } @{$place}{qw(before after)};
    $after = $after->($captured) if ref $after;
    return $before . $found . $after;
}

# What forbids any edit
sub unfit {
    my ($text, $tests) = @_;
    my @wrong = map { "$_ has CRLF line ends" } grep { $text->{$_} =~ /\r/ } sort keys %{$text};
    for my $test (@{$tests}) {
        push @wrong, "Run has a test \"$test->{name}\" already"
            if $text->{Run} =~ /^\s*"\Q$test->{name}\E"\s*=>/m;
        push @wrong, "pgms/index.base has a baseline for $test->{name} already"
            if $text->{'pgms/index.base'} =~ /^\Q$test->{name}\E\|/m;
    }
    push @wrong, 'Run has a category or a group "process" already'
        if $text->{Run} =~ /^\s*(['"])process\1\s*=>/m;
    return @wrong;
}

1;
