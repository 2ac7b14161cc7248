# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Topics;

# What ./Run help says of a word: from the chapters in docs/ and the manual.
#
#   chapters(root folder) -> names of the chapters
#   about(root, the manual as text, word or words, commands) -> text: the chapter of this name;
#       or the sections (an option is one) that have the words as a term of their heading; or
#       that which has them elsewhere in its heading, or else in its text; of several the headings.
#       Of a command only a chapter or a section with its name, and no text where there is none.
#       Dies where nothing is found

use strict;
use warnings;
use SpawnMeter::Util::DidYouMean qw(did_you_mean);
use SpawnMeter::Util::File       qw(slurp);

sub chapters {
    my ($root) = @_;
    return map { m{([^/]+)[.]md\z} } sort glob "\Q$root\E/docs/*.md";
}

sub about {
    my ($root, $manual, $word, @commands) = @_;
    my @chapters = chapters($root);
    return slurp("$root/docs/$word.md") . "\n" if grep { $_ eq $word } @chapters;
    my @sections =
        (of_manual($manual), map { sections($_, slurp("$root/docs/$_.md") . "\n") } @chapters);
    my $simple = simple($word);
    my @about = grep { $_->{terms}{$simple} } @sections;
    return join q{}, map { $_->{text} } @about if @about;
    return q{} if grep   { $_ eq $word } @commands;

    for my $where (qw(name own)) {
        my @found = grep { length $simple && $_->{$where} =~ /(?<!\w)\Q$simple\E/ } @sections;
        return $found[0]{text} if @found == 1;
        return mentioned($word, @found) if @found;
    }
    my @known = (@commands, @chapters, map { keys %{ $_->{terms} } } @sections);
    die "no help on '$word'" . did_you_mean($word, \@known, "the chapters are @chapters") . "\n";
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
    my %terms = map { simple($_) => 1 } $heading, split /[,(:]/, $heading;
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
