# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Help;

# ./Run help, --help: the commands and the main options on one screen; the options of a command;
# an option; the manual; and what the chapters in docs/ say of a word.  Commands and options are
# made from SpawnMeter::Options::Table, the rest of the manual is that in Run.
#
#   run(root, option) -> exit status; dies where nothing is known of the topic
#   manual(text of Run) -> the same with the commands and options in it, as POD
#
# What ./Run help says of a word: from the chapters in docs/ and the manual.
#
#   chapters(root folder) -> names of the chapters
#   in_chapters(root, the manual as text, word or words, commands) -> text: the chapter of this
#       name; or the sections (an option is one) that have the words as a term of their heading; or
#       that which has them elsewhere in its heading, as they are or the longer ones anywhere, or
#       else so in its text; of several the headings.
#       Of a command only a chapter or a section with its name, and no text where there is none.
#       Dies where nothing is found
#   headed(root, terms) -> the sections of the chapters whose heading has one of them

use strict;
use warnings;
use Pod::Text                  ();
use SpawnMeter::Options        ();
use SpawnMeter::Options::Table qw(command commands name_of option options);
use SpawnMeter::Util::File     qw(slurp);
use SpawnMeter::Util::Format   qw(folded did_you_mean);
use SpawnMeter::Util::Terminal qw(print_paged print_text);

use constant {
    WIDTH => 78,
    NAMES => 26,    # columns of a command or an option with its value
    SHORT => 3,     # letters of a word that says nothing: of, a, how
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
    if ($command eq 'help' && @topics) {
        print_paged(about($root, "@topics"));
    } elsif (grep { $_ eq 'all' } @topics) {
        print_paged(about($root, 'all'));
    } elsif ($command eq 'help' || $command eq 'measure') {    # ./Run fork --help
        print_text(screen());
    } else {
        print_paged(of_command($command) . "\nMore: ./Run help $command\n");
    }
    return 0;
}

sub about {
    my ($root, $topic) = @_;
    if (defined(my $name = name_of($topic))) {
        return join "\n", of_option($name), headed($root, @{ option($name)->{names} });
    }
    my $manual = as_text(manual(slurp("$root/Run")));
    return $manual if $topic eq 'all';
    my ($command, @more) = SpawnMeter::Options::command_of(split q{ }, $topic);
    undef $command if @more;    # "sweep published" is a command, as "aa" is
    return join "\n", grep { length } $command ? of_command($command) : q{},
        in_chapters($root, $manual, $command || $topic, commands());
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
    my $group = q{};
    for my $option (map { option($_) } options($name)) {
        $text .= "\n$option->{group}:\n" if $option->{group} ne $group;
        $group = $option->{group};
        $text .= option_item($name, $option);
    }
    return $text;
}

sub of_option {
    my ($name) = @_;
    my $option = option($name);
    my $what = whole($option);
    $what = whole(option($name =~ s/b\z/a/r)) =~ s/side A/side B/r =~ s/(--\w+-)a\b/$1b/gr
        if $what =~ /\AThe same for side B/;
    my $text = "$option->{head}\n" . folded(q{    }, $what, WIDTH);
    my @of = map { $_ eq 'measure' ? './Run' : "./Run $_" } @{ $option->{of} };
    return $text . folded('    With: ', join(q{, }, @of), WIDTH);
}

sub option_item {
    my ($command, $option) = @_;
    my ($with) = grep {
        my $of = $_->{of};
        grep { $_ eq $command } @{$of};
    } @{ $option->{with} };
    my $text = sentence($with ? $with->{text} : $option->{text});
    my $default = default_of($command, $option->{default});
    $text .= " Default: $default." if defined $default;
    return item($option->{head}, $text);
}

# "10, with ab 30, sweep 3": that of the command
sub default_of {
    my ($command, $text) = @_;
    my ($default, $others) = split /, with /, defined $text ? $text : return;
    my %of = map { split / /, $_, 2 } split /, /, $others || q{};
    return $of{$command}                                  || $default;
}

sub item {
    my ($head, $text) = @_;
    return folded(sprintf('  %-*s ', NAMES, $head), $text, WIDTH, q{ } x (NAMES + 3));
}

sub sentence {
    my ($text) = @_;
    return $text =~ /\A(.*?[.])(?:\s|\z)/s ? $1 : $text;
}

# All that is known of an option; not for which programs it is if these are the usual ones
sub whole {
    my ($option, $usual) = @_;
    my @parts = ($option->{text});
    push @parts,
        map { 'With ' . words(@{ $_->{of} }) . q{: } . lcfirst $_->{text} } @{ $option->{with} };
    my $tests = tests_of($option);
    push @parts, "Default: $option->{default}." if defined $option->{default};
    push @parts, 'It needs ' . join(' or ', map { "--$_" } @{ $option->{needs} }) . q{.}
        if @{ $option->{needs} };
    push @parts, 'Not with ' . words(map { "--$_" } @{ $option->{not} }) . q{.}
        if @{ $option->{not} };
    push @parts, "For $tests." if length $tests && $tests ne ($usual || q{});
    return join q{ }, @parts;
}

# The programs that take an option, or an empty text: all, or none
sub tests_of {
    my ($option) = @_;
    my @tests = grep { $_ ne 'looper' } @{ $option->{tests} || ['ALL'] };
    return $tests[0] eq 'ALL' ? q{} : words(@tests);
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
    my ($run) = @_;
    my $commands = join q{}, map {
        my $command = command($_);
        "=item ./Run $command->{usage}\n\n" . marked($command->{text}) . "\n\n"
    } commands();
    my ($text, $group, $usual) = (q{}, q{}, q{});
    for my $option (map { option($_) } options()) {
        if ($option->{group} ne $group) {
            $text .= "=back\n\n" if length $group;
            ($group, $usual) = ($option->{group}, tests_of($option));
            my $for = length $usual ? ", for $usual where no others are named" : q{};
            $text .= "$group$for:\n\n=over 4\n\n";
        }
        my ($head, $what) = map { marked($_) } $option->{head}, whole($option, $usual);
        if ($what =~ /\AThe same for side B/) {
            $text =~
                s/(\n=item [^\n(]*\w)(?!.*\n=item)(.*)/"$1, $head" . $2 =~ s{side A}{$& or B}gr/es;
        } else {
            $text .= "=item $head" . only_with($option) . "\n\n$what\n\n";
        }
    }
    return $run =~ s/^=for commands\n/=over 4\n\n$commands=back\n/mr =~
        s/^=for options\n/$text=back\n/mr;
}

# " (compare, ab only)": the commands, where measurements do not take it
sub only_with {
    my ($option) = @_;
    my @of = map { SpawnMeter::Options::typed($_) } @{ $option->{of} };
    return grep({ $_ eq 'measure' } @of) ? q{} : ' (' . join(q{, }, @of) . ' only)';
}

# With the marks of POD
sub marked {
    my ($text) = @_;
    return $text =~ s/(?<![\w'-])(--?[a-z][\w-]*)/B<$1>/gr;
}

sub chapters {
    my ($root) = @_;
    return map { m{([^/]+)[.]md\z} } sort glob "\Q$root\E/docs/*.md";
}

sub in_chapters {
    my ($root, $manual, $word, @commands) = @_;
    my @chapters = chapters($root);
    return slurp("$root/docs/$word.md") . "\n" if grep { $_ eq $word } @chapters;
    my @sections =
        (of_manual($manual), map { sections($_, slurp("$root/docs/$_.md") . "\n") } @chapters);
    my $simple = simple($word);
    my @about = grep { $_->{terms}{$simple} } @sections;
    return join q{}, map { $_->{text} } @about if @about;
    return q{} if grep   { $_ eq $word } @commands;

    my @words = grep { length > SHORT } split q{ }, $simple;
    for my $where ([ name => $simple ], [ name => @words ], [ own => $simple ], [ own => @words ]) {
        my ($what, @wanted) = @{$where};
        my @found = grep { has_all($_->{$what}, @wanted) } @sections;
        return $found[0]{text} if @found == 1;
        return mentioned($word, @found) if @found;
    }
    my @known = (@commands, @chapters, map { keys %{ $_->{terms} } } @sections);
    die "no help on '$word'" . did_you_mean($word, \@known, "the chapters are @chapters") . "\n";
}

sub headed {
    my ($root, @terms) = @_;
    my @sections = map { sections($_, slurp("$root/docs/$_.md") . "\n") } chapters($root);
    return map { $_->{text} } grep {
        my $of = $_->{terms};
        grep { $of->{$_} } @terms
    } @sections;
}

# Whether words of the text begin so
sub has_all {
    my ($text, @wanted) = @_;
    return @wanted && length $wanted[0] && !grep { $text !~ /(?<!\w)\Q$_\E/ } @wanted;
}

sub mentioned {
    my ($word, @sections) = @_;
    my @lines = map { sprintf "  %-12s%s\n", @{$_}{qw(chapter heading)} } @sections;
    return join q{}, "'$word' stands in (./Run help prints a chapter or a section):\n", @lines;
}

# -> { chapter, heading, text: with the sections below it; without what nobody types: name,
#     the heading, terms => { what it names }, own, the text without those sections }
sub sections {
    my ($chapter, $text) = @_;
    my (@open, @sections);
    for my $part (split /^(?=#+ )/m, $text) {
        my ($depth, $heading) = $part =~ /\A(#+) (.*)/;
        @open = grep { $_->{depth} < length $depth } @open;
        $_->{text} .= $part for @open;
        push @open, { section($chapter, $heading, $part), depth => length $depth };
        push @sections, $open[-1];
    }
    return @sections;
}

# The options, each by itself, and what stands behind them
sub of_manual {
    my ($manual) = @_;
    my @sections;
    for my $part (split /^(?=[A-Z][A-Z ]+$)/m, $manual =~ s/\A.*(?=^OPTIONS$)//msr) {
        my ($start, @items) = split /^(?= +-)/m, $part;
        push @sections, { section('all', $start =~ /\A(.*)/, $start), text => $part };
        for my $item (@items) {

            # its line, and what is indented below it
            my ($text, undef, $heading) = $item =~ /\A(( +)(-.*)\n\2 .*\n(?:\2 .*\n|\n)*)/ or next;
            push @sections, { section('all', $heading, $text) };
            $sections[-1]{terms}{$_} = 1 for $heading =~ /(-[\w-]+)/g;
        }
    }
    return @sections;
}

sub section {
    my ($chapter, $heading, $text) = @_;
    my %terms = map { simple($_) => 1 } $heading, split(/[,(:]/, $heading),
        $heading =~ /(--[\w-]+)/g;
    return (
        chapter => $chapter,
        heading => $heading,
        name    => simple($heading),
        terms   => \%terms,
        own     => simple($text),
        text    => $text
    );
}

sub simple {
    my ($text) = @_;
    return lc $text =~ s/[^\w\s+.\/-]//gr =~ s/\s+/ /gr =~ s/^ | $//gr;
}

1;
