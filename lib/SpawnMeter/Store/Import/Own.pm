# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Own;

# What only SpawnMeter's own text report has: its head, the table under the indices, and the
# remarks about the quality of the results.  Pure functions.
#
#   own_kinds() -> kinds of lines (Import::Kinds)
#   continues_head(state, text) -> true where it is the rest of a long line of the head
#
# A run of this kind has `posted` => { head => lines about build and settings, notes => lines
# about the whole run, virtual => 1 on a virtual machine }, `protocol` => name, `incomplete` =>
# reason; its cells have `details` => { plus_minus, floor, cpu_us, latency and stall =>
# [microseconds], start => { period => [microseconds] }, disturbed, flagged, settled, outliers },
# as in a result record (Analysis::Record).

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Quantity qw(periods);
use SpawnMeter::Store::Import::Run qw(current_run has_results new_run);

our @EXPORT_OK = qw(own_kinds continues_head);

my $DURATION = qr/(?:[\d.]+(?:us|ms|s)|-)/a;
my $PERIODS = join q{|}, periods();
my $DETAILS =
    qr/(?<pm>[\d.]+%|-) +(?<best>[\d.]+M?\S{2,5}|-) +(?<times>$DURATION(?: +$DURATION){5})/a;

# Lines of the head that are kept as they are printed
my $HEAD = qr/Build|Measured|Command|CLOCK|LOADER|EMULATED|Each\ CPU|CPUs\ \d[\d,-]*|Memory|Up
    |Load\ when\ the\ run\ began|With\ \d+\ cop(?:y|ies)/ax;

my %US = (us => 1, ms => 1e3, s => 1e6);

# What a rate's text is multiplied with, by its end (Util::Format)
my %TIMES = (
    'GB/s'  => 1024**2,
    'MB/s'  => 1024,
    'KB/s'  => 1,
    'M/s'   => 1e6,
    '/s'    => 1,
    'M/min' => 1e6,
    '/min'  => 1,
    'MWIPS' => 1,
);

my @KINDS = (
    {
        name    => 'suite',
        pattern => qr/^SpawnMeter \(Version (?<version>[\w.+~-]+)\)/a,
        read    => \&read_version,
    },
    {
        name    => 'fact',
        pattern => qr/^CPU: (?<model>.+?)(?<virtual>; a virtual machine)?$/,
        read    => \&read_cpu,
    },
    {
        name    => 'head',
        pattern => qr/^(?<line>$HEAD: .+)$/a,
        read    => sub { return read_text($_[0], head => $_[1]{line}) },
    },
    {
        name    => 'details',
        pattern => qr/^(?:(?<test>[a-z]\S*) +)?$DETAILS(?<disturbed> !)?$/,
        read    => \&read_details,
    },
    {
        name    => 'stall',
        pattern => qr/^(?<test>[a-z]\S*) +(?<times>$DURATION(?: +$DURATION){4})$/a,
        read    => \&read_stall,
    },
    {
        name    => 'start',
        pattern =>
            qr/^(?<test>[a-z]\S*) (?<period>$PERIODS) +(?<times>$DURATION(?: +$DURATION){4})$/a,
        read => \&read_start,
    },
    {
        name    => 'quality',
        pattern => qr/^(?<what>! (?:DISTURBED|BUSY)|unsettled|outliers [(]kept[)]): (?<tests>.+)$/,
        read    => \&read_quality,
    },
    {
        name    => 'note',
        pattern =>
            qr/^(?<line>(?:Flagged as disturbed|.+, \d+ cop(?:y|ies): (?:failed|skipped)): .+)$/a,
        read => sub { return read_text($_[0], notes => $_[1]{line}) },
    },
    {
        name    => 'timed',
        pattern => qr/^Only a share of the iterations was timed: (?<tests>.+)$/,
        read    => sub { return read_timed($_[0], $_[1]{tests}) },
    },
    {
        name    => 'note',
        pattern => qr/^(?<line>(?:No index|drift|FAULT|reference|steadied): .+)$/,
        read    => sub { return read_text($_[0], notes => $_[1]{line}) },
    },
    {
        name    => 'end',
        pattern => qr/^(?<what>INCOMPLETE|RESULT|QUICK): (?<text>.+)$/,
        read    => \&read_end,
    },
    {
        name    => 'without figures',
        pattern => qr/^(?:test +[+]\/- +best +CPU +p50.*|(?:STALL|START): .*|[*]{3,}.*)$/,
        read    => sub { return },
    },
);

sub own_kinds {
    return map { { %{$_}, own => 1 } } @KINDS;
}

sub read_version {
    my ($state, $found) = @_;
    my $run = new_run($state);
    @{$run}{qw(suite protocol)} = ($found->{version}, 'imported');
    $run->{posted} = { head => [], notes => [] };
    return;
}

sub read_cpu {
    my ($state, $found) = @_;
    my $run = current_run($state);
    my $facts = $run->{system};
    return if grep { has_results($_) } @{ $run->{blocks} };    # of the legend
    $facts->{cpu_model} = $found->{model};
    $run->{posted}{virtual} = 1 if $run->{posted} && defined $found->{virtual};
    return;
}

sub continues_head {
    my ($state, $text) = @_;
    my ($run, $previous) = ($state->{run}, $state->{previous} || q{});
    return if !$run || !$run->{posted} || $previous !~ /^(?:head|note|fact|timed|quality)$/;
    if ($previous eq 'fact') {
        return if !defined $run->{system}{kernel_version};
        return if grep { has_results($_) } @{ $run->{blocks} };
        $run->{system}{kernel_version} .= " $text";
    } elsif ($previous eq 'timed' || $previous eq 'quality') {
        return if !read_more($state, $previous, $text);
    } else {
        $run->{posted}{ $previous eq 'note' ? 'notes' : 'head' }[-1] .= " $text";
    }
    $state->{continued} = $previous;
    return 1;
}

sub read_text {
    my ($state, $list, $line) = @_;
    push @{ current_run($state)->{posted}{$list} }, $line;
    return;
}

sub read_end {
    my ($state, $found) = @_;
    my $run = current_run($state);
    my ($what, $text) = @{$found}{qw(what text)};
    if    ($what eq 'INCOMPLETE')              { $run->{incomplete} = $text }
    elsif ($what eq 'QUICK')                   { $run->{protocol} = 'quick' }
    elsif ($text =~ /without the worst third/) { $run->{protocol} = 'classic' }
    return;
}

# ---- the table under the indices -----------------------------------------------------

sub microseconds {
    my ($text) = @_;
    my ($number, $unit) = $text =~ /^([\d.]+)([a-z]+)$/a or return;
    return $number * $US{$unit};
}

sub rate_of {
    my ($text) = @_;
    my ($number, $unit) = $text =~ m{^([\d.]+)(\D*)$}a or return;
    return $number * ($TIMES{$unit} || 1);
}

sub read_details {
    my ($state, $found) = @_;
    my $test = defined $found->{test} ? $found->{test} : $state->{text_before};
    my $cell = cell_named($state, $test);
    return 'it is about a test that has no result above' if !$cell;
    my ($cpu, @latency) = map { scalar microseconds($_) } split / +/, $found->{times};
    my ($share) = $found->{pm} =~ /^([\d.]+)%/a;
    $cell->{details} = {
        plus_minus => defined $share ? $share / 100 : undef,
        floor      => scalar rate_of($found->{best}),
        cpu_us     => $cpu,
        latency    => (grep { defined } @latency) ? \@latency : undef,
        disturbed  => defined $found->{disturbed} ? 1         : 0,
    };
    return;
}

sub read_stall {
    my ($state, $found) = @_;
    my $cell = cell_named($state, $found->{test});
    return 'it is about a test that has no result above' if !$cell;
    $cell->{details}{stall} = [ map { scalar microseconds($_) } split / +/, $found->{times} ];
    return;
}

sub read_start {
    my ($state, $found) = @_;
    my $cell = cell_named($state, $found->{test});
    return 'it is about a test that has no result above' if !$cell;
    $cell->{details}{start}{ $found->{period} } =
        [ map { scalar microseconds($_) } split / +/, $found->{times} ];
    return;
}

# ---- remarks ----
#
# What SpawnMeter's own text report says about the quality of its results, in lists of tests that
# can take several lines.
#
#   read_quality(state, { what, tests }), read_timed(state, list) -> undef, or why a line cannot
#       be read: enter in the cells' `details` which tests are disturbed, unsettled, have
#       outliers, or were timed in part
#   read_more(state, kind of the line before, text) -> true where the text continues such a list
#   cell_named(state, test) -> cell of the block, or undef

# An item of a list of quality: "test (5 of 12 passes)", "test (1.8 CPUs)", "test +/- 7.0%",
# "test 3"
my $ITEM = qr/[a-z]\S* (?:[(](?:(?:\d+ of \d+|too few) passes|[\d.]+ CPUs)[)]|[+]\/- [\d.]+%|\d+)/a;

# A mailer can have wrapped the line in the middle of an item: that is read again when it is whole
my $CUT = qr/[a-z]\S* [(+][^,]*\z/;

sub read_more {
    my ($state, $kind, $text) = @_;
    if ($kind eq 'timed') {
        return if $text !~ /, [\d.]+%/a;
        return !defined read_timed($state, length $state->{cut} ? "$state->{cut} $text" : $text);
    }
    my ($what, $last) = @{ $state->{quality} }{qw(what last)};
    $text = "$last $text" if $last !~ /^(?:$ITEM)?,?\z/;
    return if $text !~ /^(?:$ITEM(?:,|$)|$CUT)/;
    return !defined read_quality($state, { what => $what, tests => $text });
}

sub cell_named {
    my ($state, $test) = @_;
    my $block = $state->{block} or return;
    return $block->{cells}{$test};
}

# "test, 2 copies, 11.1%; test, ..."; the last item can be cut by the end of the line
sub read_timed {
    my ($state, $text) = @_;
    $state->{cut} = $text =~ /(?:\A|; *)([^;%]*[^;%.])\z/ ? $1 : q{};
    while ($text =~ /(\S+), (\d+) cop(?:y|ies), ([\d.]+)%/ag) {
        my ($test, $copies, $share) = ($1, $2, $3);
        my ($block) = grep { $_->{copies} == $copies } @{ current_run($state)->{blocks} };
        my $cell = $block ? $block->{cells}{$test} : undef;
        return 'it is about a test that has no result above' if !$cell;
        $cell->{details}{timed} = $share / 100;
    }
    return;
}

sub read_quality {
    my ($state, $found) = @_;
    my @items = split /, /, $found->{tests};
    $state->{quality} = { what => $found->{what}, last => @items ? $items[-1] : q{} };
    for my $item (@items) {
        my ($test, $number) = $item =~ /^(\S+) \(?(?:[+]\/- )?([\d.]*)/a or next;
        my $cell = cell_named($state, $test);
        return 'it is about a test that has no result above' if !$cell;
        my $details = $cell->{details} ||= {};
        if    ($found->{what} eq 'unsettled') { $details->{settled} = 0 }
        elsif ($found->{what} =~ /^outliers/) { $details->{outliers} = $number || 0 }
        elsif ($found->{what} eq '! BUSY') { @{$details}{qw(disturbed busy)} = (1, $number || 0) }
        else { @{$details}{qw(disturbed flagged)} = (1, $number || 0) }
    }
    return;
}

1;
