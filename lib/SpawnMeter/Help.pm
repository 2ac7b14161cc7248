# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Help;

# ./Run help, --help: the commands and the main options on one screen; the options of a command;
# an option; the manual; and what the chapters in docs/ say under a heading.  Commands and options
# are made from SpawnMeter::Options::Table, the rest of the manual is that in Run.
#
#   run(root, option) -> exit status; dies where nothing is known of the topic
#   about(root, topic) -> text: an option (with or without --), a command, a chapter, or the
#       sections of the chapters and of the manual whose heading names it, or that have its words
#   manual(text of Run, catalog) -> the same with the commands and options in it, as POD

use strict;
use warnings;
use List::Util                 qw(min);
use Pod::Text                  ();
use SpawnMeter::Catalog::Tests qw(with_feature);
use SpawnMeter::Options::Table qw(command commands option options has);
use SpawnMeter::Util::File     qw(slurp);
use SpawnMeter::Util::Format   qw(folded did_you_mean);
use SpawnMeter::Util::Terminal qw(print_text);

use constant {
    WIDTH    => 78,
    NAMES    => 26,      # columns of a command or an option with its value
    HEADED   => 8,       # what a word in a heading counts
    MOST     => 1000,    # what a word counts that others lack: more than all the rest
    EXCERPTS => 3,       # sections, and paragraphs of each
    OTHERS   => 6,       # headings of further ones
};

my @MAIN = qw(quiet verbose iterations copies quick);
my $MORE = <<'END';
More: trace, noise, rank, export. ./Run help WORD: about a command (its options with their
defaults), an option, a test, a message; recipes; all, the manual. Ctrl-C ends a run and
keeps what was measured; for ./Run & kill does.
END

sub run {
    my ($root, $option) = @_;
    my ($command, @topics) = @{ $option->{names} };
    my $is_screen = $command eq 'help' || $command eq 'measure';    # ./Run fork --help
    if (@topics && ($command eq 'help' || $topics[-1] eq 'all')) {
        my $together = @topics > 1 && eval { about($root, "@topics") };
        print_text($together || join "\n", map { about($root, $_) } @topics);
    } elsif ($is_screen) {
        print_text(screen());
    } else {
        print_text(of_command($command) . "\nMore: ./Run help $command\n");
    }
    return 0;
}

sub about {
    my ($root, $topic) = @_;
    $topic =~ s/(?<=.)[:?!.]+\z//;
    my %chapter =
        map { m{([^/]+)[.]md\z} ? ($1 => slurp($_) . "\n") : () } glob "\Q$root\E/docs/*.md";
    my @sections = map { sections($_, $chapter{$_}) } sort keys %chapter;
    my $catalog = SpawnMeter::Catalog::Tests::load("$root/pgms/tests.list");
    my $long = command($topic) ? $topic : "--$topic";
    my ($option) =
        grep { has($_->{names}, $topic) || has($_->{names}, $long) } map { option($_) } options();
    if ($option) {
        my $text = "$option->{head}\n" . folded(q{    }, whole($option, $catalog), WIDTH);
        my @message = $topic =~ /\A-/ ? () : $topic;
        return join "\n", $text, map { headed(\@sections, $_) } @{ $option->{names} }, @message;
    }
    my $manual = as_text(manual(slurp("$root/Run"), $catalog));
    return $manual if $topic eq 'all';
    push @sections, sections('all', $manual =~ s/^(?=[A-Z][A-Z ]+$)/# /gmr);
    my $command = command($topic);    # "sweep published" is one, as "aa" is
    $topic = $command->{name} if $command;
    my @texts = $command ? of_command($topic) : ();
    push @texts, $chapter{$topic} || headed(\@sections, $topic);
    return @texts ? join("\n", @texts) : mentioned($topic, \@sections, sort keys %chapter);
}

sub screen {
    my ($text, $group) = (q{}, q{});
    for my $command (map { command($_) } grep { command($_)->{main} } commands()) {
        $text .= "$command->{group}\n" if $command->{group} ne $group;
        $group = $command->{group};
        my $usage = "./Run $command->{usage}";
        $usage =~ s/ \[.*// if length $usage > NAMES;
        $text .= item($usage, sentence($command->{text}));
    }
    $text .= "Options of a measurement\n";
    $text .= option_item('measure', option($_)) for @MAIN;
    return $text . folded(q{}, join(q{ }, split q{ }, $MORE), WIDTH);
}

sub of_command {
    my ($name) = @_;
    my $command = command($name);
    my $text = "./Run $command->{usage}\n" . folded(q{    }, $command->{text}, WIDTH);
    my ($group, %seen) = (q{});
    for my $option (grep { !$seen{ $_->{head} }++ } map { option($_) } options($name)) {
        $text .= "\n$option->{group}:\n" if $option->{group} ne $group;
        $group = $option->{group};
        $text .= option_item($name, $option);
    }
    return $text;
}

# -> an option with its default for the command, of "10, with ab 30, sweep 3"
sub option_item {
    my ($command, $option) = @_;
    my ($usual, $others) = split /, with /, $option->{default}    || q{};
    my %default_of = map { split / /, $_, 2 } split /, /, $others || q{};
    my $default = $default_of{$command}                           || $usual;
    return item($option->{head},
        sentence($option->{text}) . (defined $default ? " Default: $default." : q{}));
}

sub item {
    my ($head, $text) = @_;
    return folded(sprintf('  %-*s ', NAMES, $head), $text, WIDTH, q{ } x (NAMES + 3));
}

sub sentence { my ($text) = @_; return $text =~ /\A(.*?[.])(?:\s|\z)/s ? $1 : $text }

# -> all that is known of an option, without its tests where these are the usual ones of its group
sub whole {
    my ($option, $catalog, $usual) = @_;
    my $tests = tests_of($option, $catalog);
    my @commands =
        has($option->{of}, 'measure') ? () : map { command($_)->{typed} } @{ $option->{of} };
    my @also = (
        [ 'Default:'  => $option->{default} ],
        [ 'It needs'  => join ' or ', map { "--$_" } @{ $option->{needs} } ],
        [ 'Not with'  => words(map { "--$_" } @{ $option->{not} }) ],
        [ 'For'       => $tests eq ($usual || q{}) ? q{} : $tests ],
        [ 'Only with' => words(@commands) ],
    );
    return join q{ }, $option->{text},
        map { "@{$_}." } grep { defined $_->[1] && length $_->[1] } @also;
}

# The tests that take an option, or an empty text: all, or none
sub tests_of {
    my ($option, $catalog) = @_;
    my $feature = $option->{feature} || 'all';
    return $feature eq 'all' ? q{} : words(with_feature($catalog, $feature));
}

# "a, b and c"
sub words {
    my (@words) = @_;
    my $last = pop @words;
    return @words ? join(q{, }, @words) . " and $last" : $last;
}

# ---- the manual ----

sub as_text {
    my ($pod) = @_;
    my $parser = Pod::Text->new(width => WIDTH, utf8 => 1);
    $parser->output_string(\my $text);
    $parser->parse_string_document($pod =~ s/.*?^(?==head1 NAME)//msr);
    return $text;
}

sub manual {
    my ($run, $catalog) = @_;
    my $commands = join q{},
        map { "=item ./Run $_->{usage}\n\n$_->{text}\n\n" } map { command($_) } commands();
    my ($text, $group, $usual, $head) = (q{}) x 4;
    for my $option (map { option($_) } options()) {
        next if $option->{head} eq $head;    # of side B
        $head = $option->{head};
        if ($option->{group} ne $group) {
            $text .= "=back\n\n" if length $group;
            ($group, $usual) = ($option->{group}, tests_of($option, $catalog));
            my $for = length $usual ? ", for $usual where no others are named" : q{};
            $text .= "$group$for:\n\n=over 4\n\n";
        }
        $text .= "=item $head\n\n" . whole($option, $catalog, $usual) . "\n\n";
    }
    return $run =~ s/^=for commands\n/=over 4\n\n$commands=back\n/mr =~
        s/^=for options\n/$text=back\n/mr;
}

# ---- the chapters ----

# -> { chapter, heading, own: its text, text: with the sections below it }
sub sections {
    my ($chapter, $text) = @_;
    my (@open, @sections);
    for my $part (split /^(?=#+ )/m, $text) {
        my ($marks, $heading) = $part =~ /\A(#+) (.*)/ or next;
        @open = grep { $_->{depth} < length $marks } @open;
        $_->{text} .= $part for @open;
        my %section = (chapter => $chapter, heading => $heading, own => $part, text => $part);
        push @open, { %section, depth => length $marks };
        push @sections, $open[-1];
    }
    return @sections;
}

# -> texts of the sections whose heading has the topic between its ends, commas, brackets, colons
sub headed {
    my ($sections, $topic) = @_;
    my $named = qr/(?:\A|[,(:]) *\Q$topic\E *(?:\z|[,(:)])/i;
    return map { $_->{text} } grep { $_->{heading} =~ $named } @{$sections};
}

# Words that say nothing of what is asked for; of others a section should have as many as it can
my $FILLER =
    qr/\A(?:an?|and|are|can|do(?:es)?|for|from|how|i|in|is|it|my|not|of|on|or|the|to|too|two
    |was|what|when|where|which|who|why|with)\z/ix;

# Chapters for users, whose sections come first where others say as much
my %WEIGHT = (recipes => 3, report => 2, measure => 2, platforms => 1.5);

# -> the section that says most of these words, or paragraphs of several; where else they stand
sub mentioned {
    my ($topic, $sections, @chapters) = @_;
    my @all = $topic =~ /[\w+.\/-]+/g;
    my @words = grep { !/$FILLER/ } @all;
    @words = @all if !@words;
    my %score = map { $_ => score_of($_, $topic, @words) } @{$sections};
    my ($best, @others) =
        sort { $score{$b} <=> $score{$a} || $a->{heading} cmp $b->{heading} }
        grep { $score{$_} } @{$sections};
    die "no help on '$topic'",
        did_you_mean($topic, [ commands(), @chapters ], "the chapters are @chapters"), "\n"
        if !$best;
    splice @others, OTHERS if @others > OTHERS;
    my $in_heading = grep { $best->{heading} =~ /(?<![[:alnum:]])\Q$_\E/i } @words;
    return $best->{text} . also(@others) if $in_heading;
    my @excerpts = map { excerpt($_, @words) } $best, splice @others, 0, EXCERPTS - 1;
    return join "\n", @excerpts, also(@others) || ();
}

# By how many of the words the section itself has, then how often, in the heading more
sub score_of {
    my ($section, $topic, @words) = @_;
    my $heading = $section->{heading};
    my $weight = $WEIGHT{ $section->{chapter} } || 1;
    my ($known, $score) = (0, $heading =~ /\Q$topic\E/i ? HEADED : 0);
    $score += grep { $heading =~ /\b\Q$_\E\b/i } split q{ }, $topic;
    for my $word (@words) {
        my $end = length $word < 4 ? qr/s?(?![[:alnum:]])/ : q{};    # "mac" is not "machine"
        my $pattern = qr/(?<![[:alnum:]])\Q$word\E$end/i;
        my $times = () = $section->{own} =~ /$pattern/g or next;
        $known++;
        $score += $heading =~ $pattern ? HEADED + $weight : min($times, HEADED / 2) * $weight / 2;
    }
    return $known && MOST * $known + $score + 1 / length $section->{own};
}

# The heading, and the first paragraphs with one of the words
sub excerpt {
    my ($section, @words) = @_;
    my $any = join q{|}, map { quotemeta } @words;
    my (undef, @paragraphs) = split /\n{2,}/, $section->{own} =~ s/\n+\z//r;
    my @lines = grep { /(?<![[:alnum:]])(?:$any)/i } @paragraphs;
    splice @lines, EXCERPTS if @lines > EXCERPTS;
    return join "\n\n", "$section->{chapter}: $section->{heading}", @lines, q{};
}

sub also {
    my @lines = map { sprintf "  %-12s%s\n", @{$_}{qw(chapter heading)} } @_ or return q{};
    return join q{}, "\nAlso in (./Run help prints a chapter or a section):\n", @lines;
}

1;
