# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Help;

# ./Run help, --help: what Run does and its main options, on one screen; the options of a
# command; the whole manual, from which these are made; and what the chapters in docs/ say
# of a word.
#
#   run({ root, option, options_of => { command => [its options] } }) -> exit status; dies
#       where nothing is known of the word

use strict;
use warnings;
use Pod::Text                   ();
use SpawnMeter::Catalog::Topics ();
use SpawnMeter::Util::File      qw(slurp);
use SpawnMeter::Util::Format    qw(folded);
use SpawnMeter::Util::Terminal  qw(print_now print_paged);

use constant {
    WIDTH => 78,
    NAMES => 22,    # columns of an option with its value
};

my @MAIN = qw(quiet verbose iterations copies quick);

sub run {
    my ($suite) = @_;
    my ($of, @names) = ($suite->{options_of}, @{ $suite->{option}{names} });
    my $asked = @names && $names[0] eq 'help';
    my @words = grep { $_ ne 'help' } @names;
    @words = grep { $_ eq 'all' || $of->{$_} } @words if !$asked;    # ./Run fork --help
    my $word = $asked ? "@words" : @words ? $words[0] : q{};
    my $pod = slurp("$suite->{root}/Run");
    if (!length $word) {
        print_now(screen($pod));
        return 0;
    }
    my $manual = manual($pod);
    my @texts =
          $word eq 'all' ? $manual
        : $of->{$word}   ? command($pod, $word, @{ $of->{$word} })
        :                  ();
    push @texts, SpawnMeter::Catalog::Topics::about($suite->{root}, $manual, $word, keys %{$of})
        if $asked && $word ne 'all';
    print_paged(join "\n", grep { length } @texts);
    return 0;
}

sub manual {
    my ($pod) = @_;
    my $parser = Pod::Text->new(width => WIDTH, utf8 => 1);
    $parser->output_string(\my $text);
    $parser->parse_string_document($pod =~ s/.*?^(?==head1 NAME)//msr);
    return $text;
}

sub screen {
    my ($pod) = @_;
    return join q{}, map({ "$_\n" } synopsis($pod)), "\nOptions of a measurement:\n",
        options($pod, q{}, @MAIN),
        "\n./Run help WORD: about a command, option, test, message; recipes; all\n";
}

# The lines of the synopsis, without their indent
sub synopsis {
    my ($pod) = @_;
    my ($text) = $pod =~ /^=head1 SYNOPSIS\n\n((?:    [^\n]*\n)+)/m;
    return map { s/^    //r } split /\n/, $text;
}

sub command {
    my ($pod, $verb, @options) = @_;
    my ($usage, $words) = (q{}, q{});
    for my $line (synopsis($pod)) {
        my ($start, $rest) = $line =~ /^(\S.*?)?(?:\s{2,}(.*))?\z/;
        last if length $words && defined $start && length $start;
        ($usage, $words) = ($start, $rest) if defined $start && $start =~ m{^\S+ \Q$verb\E\b};
        $words .= " $rest" if !defined $start && length $usage;
    }
    return join q{}, "$usage\n", folded(q{    }, $words, WIDTH),
        "\nOptions:\n", options($pod, $verb, sort @options);
}

# A line for each option: the first sentence of the manual about it, or that about it with this
# command ("With C<compare> and C<ab>: ...")
sub options {
    my ($pod, $verb, @names) = @_;
    my $text = q{};
    for my $name (@names) {
        my ($head, $about) = $pod =~ /^=item ([^\n]*B<--\Q$name\E>[^\n]*)\n\n(.*?)^=/ms or next;
        my ($words) = $about =~ /(With [^:.]*C<\Q$verb\E>[^:.]*: .*?[.])(?:\s|\z)(?![a-z])/s;
        ($words) = $about =~ /\A(.*?[.])(?:\s|\z)(?![a-z])/s if !defined $words;
        my $title = plain($head);
        $words = plain($words) =~ s/^With (?:"\w+"(?:, | and )?)+: (\w)/\u$1/r;
        $text .= folded(sprintf('  %-*s ', NAMES, $title), $words, WIDTH, q{ } x (NAMES + 3));
    }
    return $text;
}

# Without the marks of POD
sub plain {
    my ($pod) = @_;
    $pod        =~ s/C<([^<>]*)>/"$1"/g;
    $pod        =~ s/[BFI]<([^<>]*)>/$1/g;
    $pod        =~ s{L<(?:/?"?)([^<>"]*)"?>}{$1}g;
    return $pod =~ s/\s+/ /gr;
}

1;
