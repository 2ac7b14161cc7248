# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Topics;

# What ./Run help says of a word: from the chapters in docs/, and of an option from the manual.
#
#   chapters(root folder) -> names of the chapters
#   about(root, the manual as text, word or words, commands) -> text: the chapter of this name;
#       or the option; or the sections that have the words as a term of their heading; or that
#       which has them elsewhere in its heading, or else in its text; of several the headings.
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
    my $option = option($manual, $word);
    return $option if defined $option;
    my @sections = map { sections($_, slurp("$root/docs/$_.md") . "\n") } @chapters;
    push @sections, of_manual($manual);
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

# The item of the manual about an option: its line, and what is indented below it
sub option {
    my ($manual, $name) = @_;
    for my $item (split /^(?= +-)/m, $manual) {
        my ($indent, $head) = $item =~ /\A( +)(-.*)/ or next;
        next if !grep { $_ eq $name } split /[ ,]+/, $head;
        return $1 if $item =~ /\A(.*\n$indent .*\n(?:$indent .*\n|\n)*)/;
    }
    return;
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

# What stands behind the options
sub of_manual {
    my ($manual) = @_;
    my @parts = split /^(?=[A-Z][A-Z ]+$)/m, $manual =~ s/\A.*(?=^EXIT STATUS)//msr;
    return map { { section('all', /\A(.*)/, $_) } } @parts;
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
