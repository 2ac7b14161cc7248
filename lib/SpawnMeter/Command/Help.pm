# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Help;

# ./Run help, --help: what Run does and its main options, on one screen; the options of a
# command; the whole manual.  All of it is made from the manual in Run.
#
#   run({ root, option, options_of => { command => [its options] } }) -> exit status; dies
#       where the topic is unknown

use strict;
use warnings;
use Pod::Text                    ();
use SpawnMeter::Util::DidYouMean qw(did_you_mean);
use SpawnMeter::Util::File       qw(slurp);
use SpawnMeter::Util::Format     qw(folded);

use constant {
    WIDTH => 78,
    NAMES => 22,    # columns of an option with its value
};

my @MAIN = qw(quiet verbose iterations copies quick);

sub run {
    my ($suite) = @_;
    my $of = $suite->{options_of};
    my $topic = topic($suite->{option}, grep { length } sort keys %{$of});
    my $path = "$suite->{root}/Run";
    return manual($path) if $topic eq 'all';
    my $pod = slurp($path);
    print length $topic ? command($pod, $topic, @{ $of->{$topic} }) : screen($pod);
    return 0;
}

# The word that help is asked for: a command, "all", or nothing
sub topic {
    my ($option, @commands) = @_;
    my @names = @{ $option->{names} };
    my $is_command = @names && $names[0] eq 'help';
    shift @names if $is_command;
    die "help takes one name, got @names\n" if $is_command && @names > 1;
    my ($topic) = (@names, q{});
    my @known = (@commands, 'all');
    return $topic if grep { $_ eq $topic } @known;
    return q{} if !length $topic || !$is_command;    # ./Run fork --help
    die "no help on '$topic'" . did_you_mean($topic, \@known, "the commands are @known") . "\n";
}

sub manual {
    my ($path) = @_;
    my $parser = Pod::Text->new(width => WIDTH, utf8 => 1);
    $parser->output_fh(\*STDOUT);
    $parser->parse_file($path);
    return 0;
}

sub screen {
    my ($pod) = @_;
    return join q{}, map({ "$_\n" } synopsis($pod)), "\nOptions of a measurement:\n",
        options($pod, q{}, @MAIN),
        "\n./Run help COMMAND prints its options, ./Run help all the manual.\n";
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
