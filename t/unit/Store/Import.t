# SPDX-License-Identifier: GPL-2.0-or-later
# The classic suites' reports, as they are and as people post them.
use strict;
use warnings;
use lib 't/lib';
use Encode ();
use Test::More;
use TestHelp;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::Import     qw(import_reports);
use SpawnMeter::Analysis::Posted  qw(misprints printed_baseline);
use SpawnMeter::Analysis::Results qw(blocks);

my $catalog = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list");
my %report =
    map { m{([^/]+)[.]txt\z} ? ($1 => slurp_file($_)) : () } glob "\Q$ROOT\E/t/import/*.txt";

sub imported {
    my ($text) = @_;
    my @warnings;
    local $SIG{__WARN__} = sub { push @warnings, @_ };
    my $found = import_reports($text, $catalog->{tests});
    is_deeply(\@warnings, [], 'without a warning') if @warnings;
    return $found;
}

# Every number of a run, by copies and test
sub numbers {
    my (@runs) = @_;
    return {
        map {
            my $i = $_;
            map { (
                "$i $_->{copies} $_->{test}" => join q{ },
                map { defined $_ ? $_ + 0 : q{-} } @{$_}{qw(rate baseline index)}
            ) }
                @{ $runs[$i]{printed} }
        } 0 .. $#runs
    };
}

sub check_scores {
    my ($run, $what) = @_;
    my %set = map { $_->{title} => $_->{tests} } @{ $catalog->{categories} };
    my $blocks = blocks(
        $run,
        {
            baseline => printed_baseline($run),
            form     => $run->{form},
            all      => { map { $_->{name} => $set{ $_->{name} } || [] } @{ $run->{categories} } }
        }
    );
    is_deeply([ misprints($run, $blocks) ],
        [], "$what: the scores computed anew are the printed ones");
    my %computed = map {
        my $b = $_;
        map { ($b->{copies} => $_->{score}) } @{ $b->{tables} }
    } @{$blocks};
    for my $score (@{ $run->{scores} }) {
        cmp_ok(abs($computed{ $score->{copies} } - $score->{score}),
            '<', 0.1, "$what: $score->{score} to 0.1");
    }
    return;
}

my %BLOCKS = (macos => [ 1, 4 ], 'raspberry-pi-5' => [ 1, 4 ], 'raspberry-pi-zero' => [1]);
for my $name (sort keys %report) {
    my $found = imported($report{$name});
    is(scalar @{ $found->{runs} }, 1, "$name: one run");
    is_deeply($found->{unread}, [], "$name: every line of it is read");
    my ($run) = @{ $found->{runs} };
    is_deeply([ map { $_->{copies} } @{ $run->{blocks} } ],
        $BLOCKS{$name}, "$name: its numbers of copies");

    # what a look at the text by itself finds
    my %plain;
    my $copies;
    for (split /\n/, $report{$name}) {
        $copies = $1 if /running (\d+) parallel/;
        $plain{"$copies $1"}[0] = $2 if /^(\S.*?\S) +([\d.]+) (?:lps|lpm|KBps|MWIPS) +\(/;
        @{ $plain{"$copies $1"} }[ 1, 2, 3 ] = ($2, $3, $4)
            if /^(\S.*?\S) +([\d.]+) +([\d.]+) +([\d.]+)$/ && defined $copies;
    }
    my %read =
        map { ("$_->{copies} $_->{title}" =>
            [ map { sprintf '%.1f', $_ } @{$_}{qw(rate baseline rate index)} ]) }
        @{ $run->{printed} };
    is_deeply(\%read, \%plain, "$name: " . keys(%plain) . ' results, every number right');
    check_scores($run, $name);
}
is(
    imported($report{macos})->{runs}[0]{blocks}[0]{date},
    "\x{65e5}  4 27 2025",
    'a date in another script'
);

# ---- as people post them ---------------------------------------------------------
sub each_line {
    my ($text, $change) = @_;
    return join "\n", map { $change->($_) } split /\n/, $text;
}

sub wrapped {
    my ($text, $mark) = @_;
    return each_line(
        $text,
        sub {
            my ($line) = @_;
            my @pieces;
            while (length $line > 72 - length $mark
                && $line =~ /^(.{1,@{[ 72 - length $mark ]}}) +(\S.*)$/) {
                push @pieces, $1;
                $line = $2;
            }
            return join "\n", map { "$mark$_" } @pieces, $line;
        }
    );
}

sub with_thousands {
    my ($digits) = @_;
    return scalar reverse join q{,}, unpack '(A3)*', reverse $digits;
}

my %POSTED = (
    'quoted' => sub {
        each_line($_[0], sub { "> $_[0]" });
    },
    'quoted twice' => sub {
        each_line($_[0], sub { ">> $_[0]" });
    },
    'quoted oddly' => sub {
        each_line($_[0], sub { " > >$_[0]" });
    },
    'indented' => sub {
        each_line($_[0], sub { "      $_[0]" });
    },
    'quoted by a bar' => sub {
        each_line($_[0], sub { "| $_[0]" });
    },
    'wrapped'              => sub { wrapped($_[0], q{}) },
    'wrapped, then quoted' => sub {
        each_line(wrapped($_[0], q{}), sub { "> $_[0]" });
    },
    'quoted, then wrapped' => sub { wrapped($_[0], '> ') },
    'CRLF'                 => sub { $_[0] =~ s/\n/\r\n/gr },
    'CR'                   => sub { $_[0] =~ s/\n/\r/gr },
    'tabs'                 => sub { $_[0] =~ s/ {3,}/\t/gr },
    'single blanks'        => sub { $_[0] =~ s/(?<=\S) {2,}/ /gr },
    'hard blanks'          => sub { $_[0] =~ s/ {2}/\xc2\xa0 /gr },
    'trailing blanks'      => sub {
        each_line($_[0], sub { "$_[0]   " });
    },
    'in a mail' => sub {
        join "\n", 'From: a', 'Subject: 3 numbers 1.0 2.0 3.0', q{},
            'Hi, here are 5 runs, 10.0 20.0 30.0', q{}, "$_[0]", '-- ', 'me, 1.0 2.0 3.0', q{};
    },
    'decimal commas' => sub { $_[0] =~ s/(\d)[.](\d)(?=\s|$| s)/$1,$2/gmr },
    'thousands'      => sub {
        $_[0] =~ s{(?<![\d.,:(])(\d{4,})(?=[.]\d\s)}{ with_thousands($1) }ger;
    },
    'no result lines' => sub {
        join "\n", grep { !/samples\)/ } split /\n/, $_[0];
    },
    'Latin-1' => sub { Encode::encode('ISO-8859-1', "l\xf6r mar 28 2015\n") . $_[0] },
    'bytes that are no text' => sub {
        "\xff\xfe\x80\n" . each_line($_[0], sub { "$_[0] " }) . "\n\xc3\x28\n";
    },
    'a list' => sub {
        each_line($_[0], sub { length $_[0] ? "* $_[0]" : q{} });
    },
    'a difference' => sub {
        each_line($_[0], sub { "+$_[0]" });
    },
    'a code block' => sub { "```\n$_[0]```\n" },
    'in backticks' => sub {
        each_line($_[0], sub { "`$_[0]`" });
    },
    'of a page' => sub {
        each_line($_[0], sub { $_[0] =~ s/ {2}/&nbsp; /gr . '<br>' });
    },
    'terminal colours' => sub {
        each_line($_[0], sub { "\e[1;32m$_[0]\e[0m" });
    },
);
for my $name (sort keys %report) {
    my $plain = numbers(@{ imported($report{$name})->{runs} });
    for my $how (sort keys %POSTED) {
        my $found = imported($POSTED{$how}->($report{$name}));
        is_deeply(numbers(@{ $found->{runs} }), $plain, "$name, $how");
        is(scalar @{ $found->{unread} }, 0, "$name, $how: nothing is unread")
            or diag explain $found->{unread};
    }
    my $whole = $report{$name} =~ s/(\d)[.]\d(?=\s)/$1/gr;
    my $rounded = imported($whole);
    is(
        scalar keys %{ numbers(@{ $rounded->{runs} }) },
        scalar keys %{$plain},
        "$name: numbers without decimals"
    );

    # only the score lines, without index tables
    my $results =
        imported(join "\n",
        grep { !/^(?:\S.*? +)?[\d.]+ +[\d.]+ +[\d.]+$|BASELINE|={8}|Index Score/ } split /\n/,
        $report{$name});
    is_deeply(
        [ map { $_->{rate} } @{ $results->{runs}[0]{printed} } ],
        [ map { $_->{rate} } @{ imported($report{$name})->{runs}[0]{printed} } ],
        "$name: result lines alone"
    );
    my $scoreless = imported(join "\n", grep { !/Index Score/ } split /\n/, $report{$name});
    is_deeply(numbers(@{ $scoreless->{runs} }), $plain, "$name: a table without its score");
    is_deeply($scoreless->{runs}[0]{scores}, [], "$name: a table without its score has no score");
}

# ---- several in a text -----------------------------------------------------------
my $both = imported("$report{macos}\n\n$report{'raspberry-pi-5'}");
is(scalar @{ $both->{runs} }, 2, 'two reports one after the other: two runs');
is_deeply(
    numbers(@{ $both->{runs} }),
    numbers(map { @{ imported($report{$_})->{runs} } } qw(macos raspberry-pi-5)),
    'two reports one after the other: their numbers'
);
my $headless = join "\n", map { s/\A.*?(?=^-{72})//msr } @report{qw(macos raspberry-pi-5)};
is(scalar @{ imported($headless)->{runs} },
    2, 'two without their heads: the same copies again are another run');

# side by side
my @left = grep { /^(?:\S.*\d\)?$|-{72})/ } split /\n/, $report{macos};
my @right = grep { /^(?:\S.*\d\)?$|-{72})/ } split /\n/, $report{'raspberry-pi-5'};
my $beside = join "\n",
    map { sprintf '%-80s | %s', $left[$_] || q{}, $right[$_] || q{} }
    0 .. ($#left > $#right ? $#left : $#right);
my $pair = imported($beside);
is_deeply(
    [ map { scalar @{ $_->{printed} } } @{ $pair->{runs} } ],
    [ 12, 12, 12, 12 ],
    'two machines side by side, whose numbers of copies are not known'
) or diag explain $pair->{unread};
is($pair->{runs}[2]{printed}[0]{rate}, 26332656.3, 'two machines side by side: the second one');

my $twins = imported(join "\n",
    map { sprintf '%-85s  %s', $left[$_] || q{}, $right[$_] || q{} } 0 .. $#left);
is_deeply(
    [ map { scalar @{ $_->{printed} } } @{ $twins->{runs} } ],
    [ 12, 12, 12, 12 ],
    'two machines side by side without a mark between them'
) or diag explain $twins->{unread};
is_deeply(
    [ map { [ map { "$_->{title} $_->{score}" } @{ $_->{scores} } ] } @{ $twins->{runs} } ],
    [ map { ["System Benchmarks $_"] } qw(748.8 1813.5 1563.8 3782.9) ],
    'two machines side by side without a mark between them: scores'
) or diag explain $twins->{unread};
my $glued = imported(
    "Execl Throughput 577.7 lps (30.0 s, 2 samples) Pipe Throughput 8.0 lps (10.0 s, 7 samples)\n");
is_deeply(
    [ map { [ @{$_}{qw(test rate)} ] } map { @{ $_->{printed} } } @{ $glued->{runs} } ],
    [ [ 'execl', 577.7 ], [ 'pipe', 8 ] ],
    'two results on a line'
);

my $columns = imported(<<'END');
Test                                 |      Alpha |       Beta
-------------------------------------|-----------:|-----------
Dhrystone 2 using register variables | 100.0 lps  | 200.5 lps
Pipe Throughput                      |  7.0 lps   | 8 lps
END
is_deeply(
    [ map { [ $_->{label}, map { $_->{rate} } @{ $_->{printed} } ] } @{ $columns->{runs} } ],
    [ [ 'Alpha', 100, 7 ], [ 'Beta', 200.5, 8 ] ],
    'a column for each machine'
);
is($columns->{runs}[0]{printed}[0]{copies},
    0, 'a column for each machine: the number of copies is unknown');

my $table = imported(<<'END');
| System Benchmarks Index Values | BASELINE | RESULT | INDEX |
|---|---|---|---|
| Execl Throughput | 43.0 | 577.7 | 134.4 |
| Process Creation | 126.0 | 2207.6 | 175.2 |
END
is_deeply(
    [ map { [ @{$_}{qw(test rate baseline index)} ] } @{ $table->{runs}[0]{printed} } ],
    [ [ 'execl', 577.7, 43, 134.4 ], [ 'spawn', 2207.6, 126, 175.2 ] ],
    'a table in Markdown'
);

# ---- what cannot be read is listed ------------------------------------------------
for my $bad (
    [ "Execl Throughput   nan lps   (30.0 s, 2 samples)"  => qr/part of a report/ ],
    [ "Execl Throughput   -5.0 lps   (30.0 s, 2 samples)" => qr/part of a report/ ],
    [ "Execl Throughput   1e999 lps"                      => qr/begins with a test/ ],
    [ "Execl Throughput   0.0 lps   (30.0 s, 2 samples)"  => qr/not above 0/ ],
    [
        "System Benchmarks Index Values BASELINE RESULT INDEX\nExecl Throughput 43.0 577.7 999.9"
            => qr/does not give the index 999\.9/
    ],
    [ "System Benchmarks Index Score    about 700" => qr/part of a report/ ],
    [ "Execl Throughput | 134 | 156"               => qr/have no unit/ ],
    [
              "Execl Throughput 577.7 lps (30.0 s, 2 samples)\n"
            . "System Benchmarks Index Values BASELINE RESULT INDEX\n"
            . 'Execl Throughput 43.0 500.0 116.3' => qr/577\.7 here and 500 in the index table/
    ],
) {
    my $found = imported("first line\n$bad->[0]\n");
    my ($line) = @{ $found->{unread} };
    like($line   ? $line->{why}  : 'nothing', $bad->[1], "unread: $bad->[0]" =~ s/\n.*//sr);
    cmp_ok($line ? $line->{line} : 0, '>=', 2, 'its line number');
}
subtest 'digits of other scripts are not read as numbers' => sub {
    my %digits = (Arabic => "\x{0661}\x{0662}", Devanagari => "\x{0967}", fullwidth => "\x{ff11}");
    my %line = (
        'a result'             => 'Execl Throughput   DIGITS.5 lps   (30.0 s, 2 samples)',
        'a result, throughout' => 'Execl Throughput   DIGITS lps   (DIGITS s, DIGITS samples)',
        'a result alone'       => 'Execl Throughput   5DIGITS lps',
        'a row'                => 'Execl Throughput   43.0   577.7   DIGITS34.4',
        'a score'              => 'System Benchmarks Index Score   74DIGITS.8',
        'copies'               => 'DIGITS CPUs in system; running DIGITS parallel copies of tests',
    );
    for my $script (sort keys %digits) {
        for my $what (sort keys %line) {
            my $text = $line{$what} =~ s/DIGITS/$digits{$script}/gr;
            my $found = imported("first line\n$text\n");
            is_deeply([ map { $_->{line} } @{ $found->{unread} } ], [2], "$what, $script: unread");
            is_deeply($found->{runs}, [], "$what, $script: nothing is read");
        }
    }
};

my $lies = $report{macos} =~ s/(Index Score +)748\.8/${1}848.8/r;
my ($lying) = @{ imported($lies)->{runs} };
my $b = blocks($lying, { baseline => printed_baseline($lying), all => {} });
my ($misprint) = misprints($lying, $b);
is_deeply(
    [ @{$misprint}{qw(title copies printed)}, int $misprint->{computed} ],
    [ 'System Benchmarks', 1, 848.8, 748 ],
    'a printed score that does not follow from its results is reported'
);
is_deeply(imported(q{})->{runs}, [], 'an empty text');
is_deeply(
    imported("hello\nworld 1.0 2.0 3.0\n"),
    { runs => [], unread => [] },
    'a text of something else'
);
done_testing;
