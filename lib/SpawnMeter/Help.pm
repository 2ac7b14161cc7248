# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Help;

# ./Run help, --help: the commands and the main options on one screen; the options of a command;
# an option; the manual.  Commands and options are made from SpawnMeter::Options::Table, the rest
# of the manual is that in Run.
#
#   run(root, option) -> exit status; dies where the topic is unknown
#   manual(text of Run) -> the same with the commands and options in it, as POD

use strict;
use warnings;
use Pod::Text                    ();
use SpawnMeter::Options::Table   qw(command commands name_of option options);
use SpawnMeter::Util::DidYouMean qw(did_you_mean);
use SpawnMeter::Util::File       qw(slurp);
use SpawnMeter::Util::Format     qw(folded);

use constant {
    WIDTH => 78,
    NAMES => 26,    # columns of a command or an option with its value
};

my @MAIN = qw(quiet verbose iterations copies quick);
my $MORE = <<'END';
More: trace, noise, export. ./Run help COMMAND prints its options with their defaults, ./Run help
--OPTION one of them, ./Run help all the manual. Ctrl-C ends a run and keeps what was measured; for
./Run & kill does.
END

sub run {
    my ($root, $option) = @_;
    my ($command, @topics) = @{ $option->{names} };
    if ($command ne 'help') {    # ./Run fork --help
        @topics = $command eq 'measure' ? grep { $_ eq 'all' } @topics : $command;
    }
    die "help takes one name, got @topics\n" if @topics > 1;
    my ($topic) = @topics;
    if    (!defined $topic)         { print screen() }
    elsif ($topic eq 'all')         { print_manual(manual(slurp("$root/Run"))) }
    elsif (command($topic))         { print of_command($topic) }
    elsif (defined name_of($topic)) { print of_option(name_of($topic)) }
    else                            { die unknown($topic) }
    return 0;
}

sub unknown {
    my ($topic) = @_;
    my @known = (commands(), 'all', map { "--$_" } options());
    return
        "no help on '$topic'"
        . did_you_mean($topic, \@known, 'the commands are ' . join q{ }, commands()) . "\n";
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
    my $text = "$option->{head}\n" . folded(q{    }, whole($option), WIDTH);
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
    $text .= " Default: $option->{default}." if defined $option->{default};
    return item($option->{head}, $text);
}

sub item {
    my ($head, $text) = @_;
    return folded(sprintf('  %-*s ', NAMES, $head), $text, WIDTH, q{ } x (NAMES + 3));
}

sub sentence {
    my ($text) = @_;
    return $text =~ /\A(.*?[.])(?:\s|\z)/s ? $1 : $text;
}

# All that is known of an option
sub whole {
    my ($option) = @_;
    my @parts = ($option->{text});
    push @parts,
        map { 'With ' . words(@{ $_->{of} }) . q{: } . lcfirst $_->{text} } @{ $option->{with} };
    my @tests = grep { $_ ne 'looper' } @{ $option->{tests} || [] };
    push @parts, "Default: $option->{default}." if defined $option->{default};
    push @parts, 'It needs ' . join(' or ', map { "--$_" } @{ $option->{needs} }) . q{.}
        if @{ $option->{needs} };
    push @parts, 'Not with ' . words(map { "--$_" } @{ $option->{not} }) . q{.}
        if @{ $option->{not} };
    push @parts, 'For ' . words(@tests) . q{.} if @tests && $tests[0] ne 'ALL';
    return join q{ }, @parts;
}

# "a, b and c"
sub words {
    my (@words) = @_;
    my $last = pop @words;
    return @words ? join(q{, }, @words) . " and $last" : $last;
}

# ---- the manual ----

sub print_manual {
    my ($pod) = @_;
    my $parser = Pod::Text->new(width => WIDTH, utf8 => 1);
    $parser->output_fh(\*STDOUT);
    $parser->parse_string_document($pod);
    return;
}

sub manual {
    my ($run) = @_;
    my $commands = join q{}, map {
        my $command = command($_);
        "=item ./Run $command->{usage}\n\n" . marked($command->{text}) . "\n\n"
    } commands();
    my ($text, $group) = (q{}, q{});
    for my $option (map { option($_) } options()) {
        $text .= (length $group ? "=back\n\n" : q{}) . "$option->{group}:\n\n=over 4\n\n"
            if $option->{group} ne $group;
        $group = $option->{group};
        $text .= '=item ' . marked($option->{head}) . "\n\n" . marked(whole($option)) . "\n\n";
    }
    return $run =~ s/^=for commands\n/=over 4\n\n$commands=back\n/mr =~
        s/^=for options\n/$text=back\n/mr;
}

# With the marks of POD
sub marked {
    my ($text) = @_;
    return $text =~ s/(?<![\w'-])(--?[a-z][\w-]*)/B<$1>/gr;
}

1;
