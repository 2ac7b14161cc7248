# SPDX-License-Identifier: GPL-2.0-or-later
# The manual, README and docs: their sizes, what is generated, that every message of a report has
# its entry, and that every command and file in them exists.
use lib 't/lib';
use TestHelp;
use Text::ParseWords qw(parse_line);
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Catalog::Sweeps;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Help;
use SpawnMeter::Options;
use SpawnMeter::Report::Export;

use constant {
    README => 120,       # lines
    MANUAL => 25_000,    # bytes of USAGE
};

chdir $ROOT or die;
my $catalog = SpawnMeter::Catalog::Tests::load('pgms/tests.list');
my %text = map { $_ => slurp_file($_) } qw(README.md CONTRIBUTING Run), glob 'docs/*.md';

subtest 'the manual and README' => sub {
    my $manual = SpawnMeter::Help::manual(slurp_file('Run'), $catalog);
    my $pod = spew(scratch() . '.pod', $manual);
    is(command({}, 'podchecker', '-warnings', $pod)->{status}, 0, 'it is good POD')
        if needs(1, 'podchecker');
    unlink $pod;
    ok(command({}, qw(./Run help all))->{out} eq slurp_file('USAGE'), 'USAGE is it (make usage)');
    cmp_ok(-s 'USAGE', '<=', MANUAL, 'it is short');
    cmp_ok($text{'README.md'} =~ tr/\n//, '<=', README, 'README is short');
    is(slurp_file('README'), $text{'README.md'}, 'README is README.md');
    is(join(q{}, values %text) =~ tr/\x20-\x7e\n//cdr, join(q{}, values %text), 'plain ASCII');
};

# What stands before a colon, the name of a list or of a fact, or how a sentence begins
sub messages {
    my ($file) = @_;
    my $code = (slurp_file($file) // die $file) =~ s/^\s*#.*//mgr;
    my @texts = $code =~ /(?<!\w)(?:"((?:[^"\\\n]|\\.)+)"|'([^'\n]+)')/g;
    push @texts, map { split /\n/ } $code =~ /<<'END';\n(.*?)^END/msg;
    return (
        $code =~ /item_list\('[! ]*([^']+)'/g,
        $code =~ /\[\s*'?([A-Z][\w ]*?)'? +=>/g,
        map {
            /\A(?:\\n|[(*! ])*(?:\$\S+: )?([^:;\$%]+):(?:\s|\\n|\z)/
                ? $1
                : /\A *([A-Z][a-z]+ [a-z]+ .*)/
            }
            grep { defined } @texts
    );
}

subtest 'every message of a report has its entry' => sub {
    my @terms = map { split /, / } map { $text{$_} =~ /^### (.*)/mg } keys %text;
    my @others =
        map { "lib/SpawnMeter/Report/$_.pm" } qw(Curve Differences Paired Verdicts);
    my @messages = (
        map({ messages($_) } glob 'lib/SpawnMeter/Report/Text.pm lib/SpawnMeter/Report/Text/*.pm'),
        grep { /^[[:upper:]]../ } map { messages($_) } @others
    );
    cmp_ok(scalar @messages, '>', 40, 'they are found');
    for my $message (@messages, 'failed', 'skipped') {
        ok((grep { index(lc $message, lc) == 0 } @terms), "'$message' is a heading in docs/*.md");
    }
};

# What help reads and makes of it is made once, and not for each word
for my $name (qw(Help::as_text Help::manual Help::sections Catalog::Tests::load)) {
    no strict 'refs';
    no warnings 'redefine';
    my ($sub, %made) = \&{"SpawnMeter::$name"};
    *{"SpawnMeter::$name"} = sub {
        my $made = $made{ $_[0] } ||= [ $sub->(@_) ];
        return wantarray ? @{$made} : $made->[0];
    };
}

my @tests = map { $_->{name} } @{ $catalog->{tests} };
my @sweeps = map { $_->{name} } @{ SpawnMeter::Catalog::Sweeps::load('pgms/sweeps.list') };
my @published = @{ SpawnMeter::Catalog::Experiments::names($ROOT) };
my $groups = SpawnMeter::Catalog::Tests::groups_of($catalog);
my $measured = [ @tests, keys %{$groups}, 'all' ];
my %names = (
    (map { $_ => $measured } qw(measure noise ab)),
    sweep     => [ @sweeps, @published ],
    published => \@published,
    trace     => $groups->{process},
    export    => [ SpawnMeter::Report::Export::formats() ],
);

# -> what is wrong with a command line of ./Run, or nothing
sub problem {
    my ($line) = @_;
    my @words;
    for my $word (parse_line('\s+', 1, $line)) {
        last if $word =~ /^(?:[|>&(#]|\z)/;
        push @words, parse_line('\s+', 0, $word =~ s/;\z//r);
        last if $word =~ /;\z/;
    }
    my ($verb, @asked) = @words;
    if (($verb || q{}) eq 'help') {
        return if "@asked" eq 'all' || $text{"docs/@asked.md"};
        my $found = eval { SpawnMeter::Help::about($ROOT, "@asked") };
        my ($line) = ($found || q{}) =~ /(.*)/;
        return $line =~ /\Q@asked\E/i && $line !~ / stands in / ? () : "help @asked: no heading";
    }
    my $option = eval { SpawnMeter::Options::parse(@words) } or return "$line: $@";
    my ($of, @given) = @{ $option->{names} };
    @given = @given[ 0 .. 0 ] if $of eq 'export' && @given;
    my %known = map { $_ => 1 } @{ $names{$of} || \@given };
    my @unknown = grep { !$known{$_} && !/^[A-Z]+\z|^[.]{3}\z|^[.]\/NAME/ } @given;
    return @unknown ? "$line: unknown: @unknown" : ();
}

subtest 'every command in them runs as far as names and options exist' => sub {
    $text{manual} = slurp_file('USAGE');
    my $makefile = join q{}, map { slurp_file($_) } 'Makefile', glob 'mk/*.mk';
    my %goal = map { $_ => 1 } map { split } $makefile =~ /^([a-z][a-z -]*):/mg;
    my $commands = 0;
    for my $file (sort grep { $_ ne 'manual' } keys %text) {
        my $text = $text{$file} =~ s/\\\n\s*//gr;
        my @code = map { s/\s+/ /gr } $text =~ /(?:`|C<)([^`<>]+)[`>]/g;
        push @code, $text =~ /^(?: {4}|\t)(.*)/mg,
            map { s/\s+/ /gr } $text =~ m{(\./Run\s+help\s+(?:"[^"]+"|[\w-]+))}g
            if $file ne 'Run';
        my @lines =
            map { m{\A(?:.*(?:do|;) |\$ )?\./Run(?: (.*?))?(?= {2,}|\z)} ? $1 || q{} : () } @code;
        my @wrong = map { problem(s/\s+/ /gr) } @lines;
        $commands += @lines;
        push @wrong,
            grep { !$goal{$_} && !/=/ } map { /^(?:\$ )?make ([a-z][a-z-]*)(?= |\z)/ } @code;
        push @wrong, grep { !-e && !m{/[A-Z]{2,}[.]} }
            map           { s/[.,;:]+\z//r }
            $text =~ m{(?<![\w/.])((?:bench|tools|lib|t|docs|packaging)/[\w./-]+)}g;
        push @wrong,
            grep { !-e "lib/SpawnMeter/$_" && !m{/[A-Z]{2,}[.]} }
            $text =~ m{(?<![\w/.])([A-Z]\w+/[\w/]+[.]pm)\b}g;
        is(join("\n", @wrong), q{}, $file);
    }
    cmp_ok($commands, '>', 150, 'they are found');
    is_deeply([ grep { $text{'docs/formats.md'} !~ /^### \Q$_\E\b/m } @{ $names{export} } ],
        [], 'each export has a heading in docs/formats.md');
    is_deeply([ map { problem("help $_") } @tests, @sweeps ],
        [], 'every test and sweep has its own');
    my $twice = () = SpawnMeter::Help::about($ROOT, 'ab') =~ /^ {2}--wrap-a,/mg;
    is($twice, 1, 'help ab has the options of two sides once');
    for my $heading (map { $text{$_} =~ /^(##+ .*--.*)/mg } grep { /^docs/ } keys %text) {
        for my $option ($heading =~ /(--[a-z][a-z-]*)/g) {
            like(SpawnMeter::Help::about($ROOT, $option), qr/^\Q$heading\E$/m, "help $option");
        }
    }
};

# What users type who have not read the manual, and the heading that answers
my %ANSWER = (
    'CPU frequency' =>
        [ 'cpu governor', qw(governor turbo frequency smt hyperthreads hyperthreading throttling) ],
    'Statistics' => [
        qw(confidence average mean median jitter),
        'geometric mean',
        'error bars', 'confidence interval'
    ],
    'Sharing a result' => [qw(github plot chart graph picture forum)],
    'Why is fork slow' => [ 'slow', 'why is fork slow', 'fork faster' ],
    'Units'            => [qw(units lps KBps)],
    'Other tools'      => ['hyperfine'],
    'Perl'             => ['perl'],
);
for my $heading (sort keys %ANSWER) {
    my @others =
        grep { SpawnMeter::Help::about($ROOT, $_) !~ /\A#+ \Q$heading\E/ } @{ $ANSWER{$heading} };
    is_deeply(\@others, [], "help leads to '$heading' in one step");
}
done_testing;
