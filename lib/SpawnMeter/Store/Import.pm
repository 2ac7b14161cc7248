package SpawnMeter::Store::Import;

# Reads the classic suites' text reports as people post them: 4.1.0 and 5.x/6.0,
# several runs in a text, quoted, wrapped, in columns.  A pure function.
#
#   import(text, tests of the catalog) -> { runs => [run, ...],
#       unread => [ { line => its number, text, why } ] }
#
# A run of this kind has no passes; what was printed stands in
#   printed => [ { test, title, category, copies, rate, rounding, unit, seconds,
#                  samples, baseline, index } ]    what the text does not say is
#                                undef; copies 0: it does not say how many;
#                                rounding: the rate may be off by this
#   scores  => [ { title, copies, score, partial } ]
# and blocks => [ { copies, cpus, date, from, to } ] with the text's own words.
#
# Nothing is guessed: a line that looks like a part of a report and cannot be read
# is given back in `unread`.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::Import::Lines qw(logical_lines columns);
use SpawnMeter::Store::Import::Run   qw(key new_run run_of block current_block cell finish);

our @EXPORT_OK = qw(import_reports);

use constant UNREAD_MAX => 200;

# %.1f as people's languages and tools write it: 1234.5, 1234,5, 1,234.5, 1234
my $NUMBER = qr/(?:\d{1,3}(?:,\d{3})+(?:[.]\d+)?|\d{1,15}(?:[.,]\d{1,6})?)/;
my $UNIT = qr/(?:lps|lpm|KBps|MWIPS|MFLOPS|fps|score)/;
my $TIME = qr/\d{1,2}:\d\d:\d\d/;

# "1,234" has thousands; "1234,5" a decimal comma
sub number {
    my ($text) = @_;
    return if $text !~ /^$NUMBER$/;
    if   ($text =~ /^\d{1,3}(?:,\d{3})+(?:[.]\d+)?$/) { $text =~ tr/,//d }
    else                                              { $text =~ tr/,/./ }
    return $text + 0;
}

# Each kind of line: a pattern, and what it does to the state.  The first that
# matches is taken.  A handler returns what is wrong with the line, or undef.
my @KINDS = (
    [
        qr/^BYTE UNIX Benchmarks? \(Version ([\w.-]+)\)/i =>
            sub { new_run($_[0]); $_[0]{run}{suite} = $_[1]; return }
    ],
    [ qr/^(System|OS|Machine|Language): ?(.*)$/                                 => \&fact ],
    [ qr/^CPU (\d+): ?(.*)$/                                                    => \&cpu ],
    [ qr/^Benchmark Run: (.+?) ($TIME) ?- ?($TIME)$/                            => \&begin_block ],
    [ qr/^(?:Start|End) Benchmark Run: (.+)$/                                   => sub { return } ],
    [ qr/^(\d+) CPUs? in system; running (\d+) parallel cop(?:y|ies) of tests$/ => \&copies ],
    [
        qr/^(.*\S) Benchmarks (?:Partial )?Index(?: Values)? +BASELINE +RESULT +INDEX$/ =>
            sub { begin_table($_[0], "$_[1] Benchmarks"); return }
    ],
    [ qr/^TEST +BASELINE +RESULT +INDEX$/ => sub { begin_table($_[0], '4.1'); return } ],
    [ qr/^INDEX VALUES$/                  => sub { return } ],
    [ qr/^=+$/                            => sub { return } ],
    [
        qr/^(.*\S) Benchmarks Index Score( \(Partial Only\))?:? +($NUMBER)$/ =>
            sub { score($_[0], "$_[1] Benchmarks", @_[ 2, 3 ]) }
    ],
    [
        qr/^FINAL SCORE( \(Partial Only\))?:? +($NUMBER)$/ =>
            sub { score($_[0], '4.1', @_[ 1, 2 ]) }
    ],
    [
        qr/^([A-Za-z\d].*?) +($NUMBER) +($UNIT) *\( ?($NUMBER) ?s(?:ecs?)?, ?(\d+) samples?\)$/ =>
            \&result
    ],
    [ qr/^([A-Za-z\d].*?) +($NUMBER) +($UNIT)$/              => \&result ],
    [ qr/^([A-Za-z\d].*?) +($NUMBER) +($NUMBER) +($NUMBER)$/ => \&row ],
);

# What only a report says; such a line must be readable
my $OURS =
    qr/Benchmark Run:|running \d+ parallel|Index Score|FINAL SCORE|BASELINE +RESULT|\d samples?\)/;

sub import_reports {
    my ($text, $tests) = @_;
    my %state = (
        runs   => [],
        unread => [],
        titles => { map { key($_->{title}) => $_ } @{$tests} },
    );
    my %is = (
        whole  => sub { return complete($_[0], \%state) },
        known  => sub { my ($handler) = kind_of($_[0]); return defined $handler },
        begins => sub {
            return $_[0] =~ /^-{10,}$|^=+$/ || $_[0] =~ $OURS || begins_with_title(\%state, $_[0]);
        },
        title => sub { return $state{titles}{ key($_[0]) } },
    );
    my @streams = columns(\%is, logical_lines($text, \%is));
    for my $stream (@streams) {
        @state{qw(run block table)} = ();
        line(\%state, @{$_}) for @{$stream};
    }
    my @runs = grep { @{ $_->{printed} } } @{ $state{runs} };
    return { runs => [ map { finish($_) } @runs ], unread => $state{unread} };
}

sub kind_of {
    my ($text) = @_;
    for my $kind (@KINDS) {
        my @parts = $text =~ $kind->[0] or next;
        return ($kind->[1], @parts);
    }
    return;
}

# Is this line whole, so that nothing of the next belongs to it?  A title, or a
# title and some of its numbers, is not.
sub complete {
    my ($text, $state) = @_;
    my ($handler) = kind_of($text);
    return 1 if defined $handler && $handler != \&result;
    return 1 if defined $handler && $text =~ /\)$/;
    return 0
        if $text =~ $OURS
        || $text =~ /\bBenchmarks\b.*\b(?:Index|BASELINE)|^TEST +BASELINE|^Benchmark Run/;
    return begins_with_title($state, $text) ? 0 : 1;
}

sub line {
    my ($state, $number, $text) = @_;
    if ($text eq q{}) { return }
    my ($handler, @parts) = kind_of($text);
    my $problem;
    if (defined $handler) {
        $problem = $handler->($state, @parts);
    } elsif ($text =~ $OURS) {
        $problem = 'it looks like a part of a report';
    } elsif ($text =~ /^-{10,}$/) {
        $state->{table} = undef;
    } elsif ($text =~ /\d|nan|inf/i && begins_with_title($state, $text)) {
        $problem = 'it begins with a test, and its numbers cannot be read';
    } elsif ($state->{table} && $text =~ /\d$/) {
        $problem = 'it stands in a table of indexes and is no row of it';
    }
    push @{ $state->{unread} }, { line => $number, text => $text, why => $problem }
        if defined $problem && @{ $state->{unread} } < UNREAD_MAX;
    return;
}

sub begins_with_title {
    my ($state, $text) = @_;
    my $line = key($text);
    return scalar grep { index($line, $_) == 0 } keys %{ $state->{titles} };
}

# The head: what the machine says of itself
sub fact {
    my ($state, $name, $value) = @_;
    my $run = run_of($state);

    # a head without its first line begins another report, too
    $run = new_run($state) if $name eq 'System' && @{ $run->{printed} };
    my $s = $run->{system};
    if ($name eq 'System') {
        @{$run}{qw(host)} = $value =~ /^(.*?)(?:: |$)/;
    } elsif ($name eq 'OS') {
        @{$s}{qw(system kernel_release kernel_version)} = split / -- /, $value, 3;
    } elsif ($name eq 'Machine') {
        ($s->{architecture}) = $value =~ /^(\S+)/;
    }
    return;
}

sub cpu {
    my ($state, $number, $model) = @_;
    my $s = run_of($state)->{system};
    $model =~ s/ *\([\d.]+ bogomips\)//;
    $s->{cpu_model} = $model if $number == 0 && length $model;
    return;
}

sub begin_block {
    my ($state, $date, $from, $to) = @_;
    block($state, date => $date, from => $from, to => $to);
    return;
}

sub copies {
    my ($state, $cpus, $copies) = @_;
    return 'no such number of copies'
        if $copies < 1 || $copies > 99_999 || $cpus < 1 || $cpus > 99_999;
    my $block = $state->{block};
    $block = block($state) if !$block || $block->{results} || $block->{copies};
    if (grep { $_ != $block && $_->{copies} == $copies && $_->{results} }
        @{ $state->{run}{blocks} }) {
        pop @{ $state->{run}{blocks} };
        my %head = (%{ $state->{run}{system} });
        my $run = new_run($state);
        $run->{system} = \%head;
        push @{ $run->{blocks} }, $state->{block} = $block;
    }
    @{$block}{qw(copies cpus)} = ($copies + 0, $cpus + 0);
    $state->{run}{system}{cpus_online} = $cpus + 0;
    return;
}

sub begin_table {
    my ($state, $title) = @_;
    $state->{table} = $title;
    my $block = current_block($state);
    $block->{form} = '4.1' if $title eq '4.1';
    $block->{copies} = 1 if $title eq '4.1' && !$block->{copies};    # it never runs more
    return;
}

# Results of a second machine behind those of the first are no part of a name
sub is_title {
    my ($title) = @_;
    return length $title <= 80 && $title !~ /\d[.,]\d|samples?\)|\b$UNIT\b/;
}

sub result {
    my ($state, $title, $rate, $unit, @passes) = @_;    # their seconds and number, if said
    return 'that is no title' if !is_title($title);
    my $value = number($rate);
    return "its result is not above 0" if !$value;
    my $cell = cell($state, $title, 'unit');
    $cell->{rounding} = rounding($rate);
    return "its result is $rate here and $cell->{rate} in the index table"
        if defined $cell->{rate} && !near($cell->{rate}, $value);
    @{$cell}{qw(rate unit seconds samples)} =
        ($value, $unit, map { defined $_ ? scalar number($_) : undef } @passes[ 0, 1 ]);
    return;
}

# By how much a printed number may be off
sub rounding { my ($text) = @_; return $text =~ /[.,](\d{1,2})$/ ? 0.501 * 10**-length $1 : 0.501 }

# Both are rounded to one decimal, or to none
sub near { my ($x, $y) = @_; return abs($x - $y) <= 0.51 }

# Three numbers behind words are a row only in a table, or behind a test's title
sub row {
    my ($state, $title, @texts) = @_;
    return if !$state->{table} && !$state->{titles}{ key($title) };
    return 'that is no title' if !is_title($title);
    my ($baseline, $rate, $index) = map { number($_) } @texts;
    return 'a number in it is not above 0' if !$baseline || !$rate;
    my @off = map { rounding($_) } @texts;
    my $slack = $off[2] + $index * ($off[1] / $rate + $off[0] / $baseline);
    return "$texts[1] over $texts[0] is no index of $texts[2]"
        if abs($rate / $baseline * 10 - $index) > $slack;
    my $cell = cell($state, $title, 'index');
    return "its result is $cell->{rate} above and $rate in the table"
        if defined $cell->{rate} && !near($cell->{rate}, $rate);
    @{$cell}{qw(baseline index)} = ($baseline, $index);
    @{$cell}{qw(rate rounding)} = ($rate, $off[1]) if !defined $cell->{rate};
    $cell->{category} = $state->{table} if defined $state->{table} && $state->{table} ne '4.1';
    return;
}

sub score {
    my ($state, $title, $partial, $number) = @_;
    my $block = current_block($state);
    push @{ run_of($state)->{scores} },
        {
        title   => $title,
        block   => $block,
        score   => number($number),
        partial => defined $partial ? 1 : 0
        };
    $state->{table} = undef;
    return;
}

1;
