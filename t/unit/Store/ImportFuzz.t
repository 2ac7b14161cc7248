# SPDX-License-Identifier: GPL-2.0-or-later
# What is read from elsewhere, mutated two hundred times: it is read or refused, and perl
# neither dies nor warns.  The seed is fixed; FUZZ=N for more (make check-long: 10,000), and
# FUZZ_SEED for others.
use lib 't/lib';
use TestHelp;
use GoldenPasses qw(passes head);
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Analysis::Comparison  qw(reduce compare);
use SpawnMeter::Analysis::Fingerprint qw(differing_facts);
use SpawnMeter::Analysis::Score       qw(blocks misprints printed_baseline);
use SpawnMeter::Store::Import         qw(import_reports);
use SpawnMeter::Util::File            qw(decode encode);
use SpawnMeter::Report::Verdicts;
use SpawnMeter::Report::CSV;
use SpawnMeter::Report::HTML;
use SpawnMeter::Report::Text;
use SpawnMeter::Catalog::Baseline;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Format qw(make_visible);
use Time::HiRes              qw(setitimer ITIMER_VIRTUAL);

my $times = $ENV{FUZZ} || 200;
srand($ENV{FUZZ_SEED} || 2003);
my $catalog = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list");
my %baseline = (fork => 126, spawn => 126);

# A small run of our own
my $run = head(
    $catalog, 'fuzz',
    tests  => [ grep { $_->{name} eq 'fork' } @{ $catalog->{tests} } ],
    blocks => GoldenPasses::blocks(),
    passes => [ passes('fork', 1, count => 10) ]
);
my $json = encode($run);
my @texts = map { slurp_file($_) } glob "\Q$ROOT\E/t/import/*.txt";
my $base = slurp_file("$ROOT/pgms/index.base");

my @PIECES = (
    split(/ /, '| > " { } [ ] - . , 1e999 -1 0 nan null true [] {} "x" ( ) \\ %s $(x)'),
    "\0", "\n", "\r", "\xff", "\xe2\x82\xac", "\e[31m", '99999999999999999999',
    ' ' x 80, 'A' x 300, 'BASELINE RESULT INDEX', 'FINAL SCORE 1.0'
);

sub mutated {
    my ($text) = @_;
    for (1 .. 1 + int rand 4) {
        my $at = int rand(1 + length $text);
        my $kind = int rand 6;
        my $size = int rand 40;
        if    ($kind == 0) { substr $text, $at, $size, q{} }
        elsif ($kind == 1) { substr $text, $at, 0, $PIECES[ rand @PIECES ] }
        elsif ($kind == 2) {
            substr $text, $at, $size, $PIECES[ rand @PIECES ];
        } elsif ($kind == 3) {
            $text = substr $text, 0, $at if rand() < 0.2;
        } elsif ($kind == 4) {
            substr $text, $at, 0, substr $text, int rand(1 + length $text), $size;
        }

        # a value of JSON, or a word, by something else
        else {
            my @words = $text =~ /([^\s,:\[\]{}|]+)/g;
            if (@words) {
                my $w = $words[ rand @words ];
                my $p = $PIECES[ rand @PIECES ];
                $text =~ s/\Q$w\E/$p/;
            }
        }
    }
    return $text;
}

sub rendered {
    my ($of) = @_;
    my $by = {
        baseline => $of->{printed} ? printed_baseline($of) : \%baseline,
        form     => $of->{form} || '5',
        all      => {}
    };
    my %scored = (%{$of}, scored => blocks($of, $by));
    $scored{misprints} = [ misprints($of, $scored{scored}) ] if $of->{printed};
    my @forms = (
        SpawnMeter::Report::Text::render(\%scored),
        SpawnMeter::Report::CSV::render(\%scored),
        SpawnMeter::Report::HTML::render(\%scored)
    );
    die "an escape reached the report\n" if $forms[0] =~ /[\x00-\x08\x0b-\x1f\x7f]/;
    die "markup reached the page\n" if $forms[2]      =~ /<(?:x|img|A)/;
    my ($x, $y) = map { reduce($_, 'n') } $run, $of;
    my $pair = compare([$x], [$y]);
    SpawnMeter::Report::Verdicts::render({
        runs        => [ $x, $y ],
        pairs       => [$pair],
        differences => [ differing_facts($x, $y) ]
    });
    return;
}

# One value somewhere in the data by another, which is still JSON
my @VALUES = (
    undef, -1, 0, 1e18, '1e999', 'nan', q{}, 'x', "a\nb", "\e[31m", '<x>', [], {}, [ [] ],
    { a => [] },
    1.5, '1.2.3', "7\n", 'ok', 100_000, '100:1;0:-5'
);

sub replaced {
    my ($data, $depth) = @_;
    my $value = $VALUES[ rand @VALUES ];
    if (ref $data eq 'HASH' && %{$data}) {
        my @keys = sort keys %{$data};
        my $key = $keys[ rand @keys ];
        if (rand() < 0.05) { delete $data->{$key}; return $data }
        $data->{$key} = ref $data->{$key} && rand() > 0.1 ? replaced($data->{$key}) : $value;
        return $data;
    }
    if (ref $data eq 'ARRAY' && @{$data}) {
        my $i = int rand @{$data};
        $data->[$i] = ref $data->[$i] && rand() > 0.1 ? replaced($data->[$i]) : $value;
        return $data;
    }
    return $value;
}

my %KIND = (
    shape => sub {
        my $data = replaced(decode($json));
        return if defined SpawnMeter::Store::RunFile::problem_of_file($data);
        make_visible($data);    # as load_all() does
        rendered($data);
        return 1;
    },
    report => sub {
        my $found = import_reports(mutated($texts[ rand @texts ]), $catalog->{tests});
        rendered($_) for @{ $found->{runs} };
        return scalar @{ $found->{runs} };
    },
    base => sub {
        my $text = mutated($base);
        return
            eval { SpawnMeter::Catalog::Baseline::parse_baseline($text, 'file'); 1 } || refused();
    },
);

# A message for people has a file and no line of ours
sub refused {
    die "not a message: $@"
        if $@ !~ /line \d+: |no baseline in it/ || $@ =~ m{ at \S+[.]p[ml] line};
    return 0;
}

my %share = (shape => 0.5, report => 0.3, base => 0.2);
for my $kind (sort keys %KIND) {
    my ($read, @trouble) = (0);
    local $SIG{__WARN__} = sub { require Carp; die 'a warning: ' . Carp::longmess($_[0]) };
    local $SIG{VTALRM} = sub { die "it hangs\n" };
    for my $turn (1 .. $times * $share{$kind}) {
        setitimer(ITIMER_VIRTUAL, 20);    # CPU time: the machine may be busy
        my $good = eval { $KIND{$kind}->() ? 1 : 0 };
        setitimer(ITIMER_VIRTUAL, 0);
        if (!defined $good) { push @trouble, "turn $turn: $@"; last if @trouble > 3; next }
        $read += $good;
    }
    is_deeply(\@trouble, [], sprintf '%s: %d mutations, %d of them read',
        $kind, $times * $share{$kind}, $read);
    cmp_ok($read, '>', 0, "$kind: not all are refused");
}
done_testing;
