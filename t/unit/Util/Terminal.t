# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use Screen;
use SpawnMeter::Util::Terminal qw(columns coloured colours);

my $WHAT = 'print join(q{ }, SpawnMeter::Util::Terminal::columns(\*STDOUT)), q{ },'
    . ' SpawnMeter::Util::Terminal::colours(\*STDOUT, shift) ? 1 : 0, qq{\n}';
my @PERL = ($^X, "-I$ROOT/lib", '-MSpawnMeter::Util::Terminal', '-e', $WHAT);

subtest 'a terminal' => sub {
    my $got = on_terminal({ columns => 61, rows => 17, env => { COLUMNS => 99 } }, @PERL, 'auto');
    plan skip_all => 'this system has no /dev/ptmx' if !$got;
    is($got->{text}, "61 1\r\n", 'the kernel knows its size; it has colours');
    my %case = (
        'NO_COLOR'              => [ { NO_COLOR => 1 }, 'auto', 0 ],
        'an empty NO_COLOR'     => [ { NO_COLOR => q{} }, 'auto', 1 ],
        'a dumb terminal'       => [ { TERM     => 'dumb' }, 'auto', 0 ],
        'always, with NO_COLOR' => [ { NO_COLOR => 1 }, 'always', 1 ],
    );
    for my $name (sort keys %case) {
        my ($env, $when, $colours) = @{ $case{$name} };
        is(on_terminal({ columns => 80, rows => 24, env => $env }, @PERL, $when)->{text},
            "80 $colours\r\n", $name);
    }
    is(on_terminal({ columns => 0, rows => 0, env => { COLUMNS => 99 } }, @PERL, 'auto')->{text},
        "99 1\r\n", 'one that does not know its size: COLUMNS');
};

subtest 'no terminal' => sub {
    my %env = (COLUMNS => undef);
    is(command({ env => \%env }, @PERL, 'auto')->{out}, "80 0\n", 'a pipe has no colours');
    is(command({ env => { %env, COLUMNS => 132 } }, @PERL, 'always')->{out},
        "132 1\n", 'COLUMNS and always');
    is(command({ env => { COLUMNS => 'wide' } }, @PERL, 'auto')->{out},
        "80 0\n", 'one that is no number is ignored');
};

# All that is printed for people, at once: each text ends in a line that nothing else has
my @TEXTS = sort glob "\Q$ROOT\E/t/golden/expected/*.text \Q$ROOT\E/docs/*.md";
my @PRINT = (
    @PERL[ 0 .. 3 ],
    'SpawnMeter::Util::Terminal::print_text(do { local @ARGV = shift; '
        . 'local $/; <> } . "\n~~~\n\n") while @ARGV',
    @TEXTS
);

sub words {
    return join q{ }, map { /\A([-=*])\1{9,}\z/ ? q{} : $_ } split q{ }, shift;
}

for my $columns (40, 60, 80, 200) {
    subtest "texts on a terminal of $columns columns" => sub {
        my $got = on_terminal({ columns => $columns, rows => 24 }, @PRINT);
        plan skip_all => 'this system has no /dev/ptmx' if !$got;
        my @shown = split /^~~~\n\n/m, $got->{text} =~ s/\r//gr;
        for my $i (0 .. $#TEXTS) {
            my ($name) = $TEXTS[$i] =~ m{([^/]+)\z};
            my $text = slurp_file($TEXTS[$i]) . "\n";
            my @long = grep { length > $columns && /\S +\S/ } split /\n/, $shown[$i];
            is("@long", q{}, "$name: no line is longer") if $name !~ /sweep/;    # a plot
            is(words($shown[$i]), words($text), "$name: every word is there, and whole");
            is($shown[$i], $text, "$name: unchanged where there is room")
                if !grep { length > $columns } split /\n/, $text;
        }
    };
}

subtest 'a report and what is said after it, in one file' => sub {
    my $print = 'SpawnMeter::Util::Terminal::print_now("x" x shift); print STDERR "after\n"';
    my @line = ($^X, '-Ilib', '-MSpawnMeter::Util::Terminal', '-e', $print);
    for my $length (10, 9000) {
        my $text = command({}, 'sh', '-c', '"$@" 2>&1', 'sh', @line, $length)->{out};
        is($text, 'x' x $length . "after\n", "$length bytes come first");
    }
};

is(
    coloured("A is slower\nBUSY: 1 CPU, slower here\n", 'BUSY|NOISY'),
    "A is \e[31mslower\e[0m\n\e[1;33mBUSY\e[0m: 1 CPU, slower here\n",
    'a verdict and a head that warns have colours'
);

done_testing;
