# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Options;

# The command line.  What it can be follows from SpawnMeter::Options::Table.
#
#   parse(arguments) -> { option => value, copies => [texts like 4, 1-8 or cpus], names => [command,
#       names], pass_on => [options for the test programs], target_arguments => [what follows --], a
#       and b => [options of these sides, and -- with arguments of a target] }; dies with a message
#   check_tests({ what parse returns }, catalog): dies where no test that it names takes an option
#   value(kind, one of %KIND and what its check is given in brackets; text) -> the value as the test
#       programs take it (10s is 10, 100MB is 100M), or undef where it is not of this kind
#   must_be(kind) -> what it has to be, for a message

use strict;
use warnings;
use Getopt::Long               ();
use SpawnMeter::Catalog::Tests qw(has_feature with_feature);
use SpawnMeter::Options::Table qw(command option options passed_on has);
use SpawnMeter::Util::Format   qw(nearest);
use Text::ParseWords           ();

# Options of other tools, and what to type instead
my %ELSEWHERE = (
    V      => 'version',
    j      => 'copies',
    n      => 'iterations',
    t      => 'max-time',
    runs   => 'repeat',
    warmup => 'each pass warms up by itself (./Run help measure)',
    latest => 'it is a name: ./Run show latest',
);

sub parse {
    my (@arguments) = @_;
    my $target_arguments = cut_at_double_dash(\@arguments);
    my $is_help = @arguments && $arguments[0] eq 'help';    # ./Run help --pin
    my ($option, @words) = $is_help ? ({}, @arguments) : read_options(@arguments);
    my ($command, @names) = command_of(@words);
    check_command($command, $option, $target_arguments, @names)
        if !$option->{help} && !$option->{version};
    check_together($option);
    $option->{$_} = of_side($_, $option) for grep { defined $option->{$_} } qw(a b);
    $option->{names} = [ $command, @names ];
    $option->{pass_on} = [ pass_on($option) ];
    $option->{target_arguments} = $target_arguments;
    return $option;
}

sub command_of {
    my (@words) = @_;
    for my $n (grep { $_ <= @words } 2, 1) {
        my $command = command(join q{ }, @words[ 0 .. $n - 1 ]);
        return ($command->{name}, @words[ $n .. $#words ]) if $command;
    }
    return ('measure', @words);
}

# What follows a lone -- is for the target that the exec tests run
sub cut_at_double_dash {
    my ($arguments) = @_;
    my ($at) = grep { $arguments->[$_] eq q{--} } 0 .. $#{$arguments};
    my (undef, @rest) = defined $at ? splice(@{$arguments}, $at) : ();
    return \@rest;
}

# -> ({ option => value }, the other arguments)
sub read_options {
    my (@arguments) = @_;
    my $parser =
        Getopt::Long::Parser->new(config => [qw(bundling no_auto_abbrev no_ignore_case permute)]);
    my (%option, @complaints);
    local $SIG{__WARN__} = sub { push @complaints, $_[0] };

    # Getopt::Long does not tell -b from --b, and takes what follows --pin for its value
    local @ARGV = map { s/^--(?=[ab](?:=|\z))/--side-/r } @arguments;
    for my $i (grep { $ARGV[$_] =~ /^--pin=?\z/ } 0 .. $#ARGV) {
        my $next = $ARGV[$i] eq '--pin' ? $ARGV[ $i + 1 ] : undef;
        $ARGV[$i] = '--pin=usable' if !defined value('placement', $next // q{});
    }
    my %into = map { option($_)->{form} => destination($_, \%option) } options();
    die complaint($complaints[0], @arguments) if !$parser->getoptions(%into);
    return (\%option, @ARGV);
}

# -> sub that takes the value of an option
sub destination {
    my ($name, $option) = @_;
    my $entry = option($name);
    return sub {
        my (undef, $text) = @_;
        my $value = $entry->{kind} ? value($entry->{kind}, $text) : $text;
        die "--$name: '$text' is not " . must_be($entry->{kind}) . "\n" if !defined $value;
        die "option '--$name' needs a value\n" if !$entry->{kind} && !length $value;
        if    ($entry->{many})          { push @{ $option->{$name} }, $value }
        elsif (defined $entry->{value}) { $option->{$name} = $value }
        else                            { $option->{$name}++ }                   # -qq
    };
}

# -> the message of Getopt::Long in the words of this program
sub complaint {
    my ($text, @arguments) = @_;
    return unknown($1, @arguments) if $text =~ /^Unknown option: (\S+)/;
    my ($name, $lacks) = $text =~ /^Option (\S+) (requires)?/ or return lcfirst $text;
    my $typed = (length $name > 1 ? q{--} : q{-}) . $name =~ s/^side-//r;
    return "option '$typed' " . ($lacks ? 'needs a value' : 'takes no value') . "\n";
}

sub unknown {
    my ($name, @arguments) = @_;
    my $typed = (grep({ /^--\Q$name\E(?:=|\z)/ } @arguments) ? q{--} : q{-}) . $name;
    my $near = $ELSEWHERE{$name} || nearest($name, options());
    my ($command) = command_of(grep { !/^-/ } @arguments);
    my $hint = "./Run help $command lists the options";
    my $option_meant = defined $near ? option($near) : undef;
    $hint = $option_meant ? "did you mean '$option_meant->{head}'?" : $near if defined $near;
    return "unknown option '$typed'; $hint\n";
}

# ---- what goes together ----

sub check_command {
    my ($command, $option, $target_arguments, @names) = @_;
    my $entry = command($command);
    my $typed = $entry->{typed};
    for my $name (grep { !has(option($_)->{of}, $command) } sort keys %{$option}) {
        die "$typed does not take --$name\n" if $command ne 'measure';
        my @commands = map { command($_)->{typed} } @{ option($name)->{of} };
        my $page = $name eq 'html' ? '; each run has a page beside it: results/NAME.html' : q{};
        die "--$name: only with " . join(q{, }, @commands) . "$page\n";
    }
    die "$typed takes no names, got '$names[0]'\n" if $entry->{no_names} && @names;
    die "$typed takes no arguments after --\n" if @{$target_arguments}   && !$entry->{target};
    return;
}

# Dies where options exclude each other, or one lacks what it needs.
sub check_together {
    my ($option) = @_;
    for my $entry (map { option($_) } grep { defined $option->{$_} } options()) {
        my ($other) = grep { defined $option->{$_} } @{ $entry->{not} };
        die "--$entry->{name} and --$other exclude each other\n" if defined $other;
        my @needs = map { option($_) } @{ $entry->{needs} };
        die "--$entry->{name} needs " . join(' or ', map { $_->{usage} } @needs) . "\n"
            if @needs && !grep { defined $option->{ $_->{name} } } @needs;
    }
    return check_values($option);
}

# Dies where the values of options exclude each other.
sub check_values {
    my ($option) = @_;
    for my $name (qw(heap touch)) {
        my ($few) = ($option->{$name} // q{}) =~ /^([1-9]\d{0,2})(?:,|\z)/a or next;
        die "--$name $few is $few bytes; --$name ${few}M is as many megabytes\n";
    }
    my ($slice, $time) = @{$option}{qw(slice max-time)};
    die "--max-time $time is shorter than one pass: "
        . "give --slice $time or less, or --max-time $slice or more\n"
        if $slice && $time && $slice > $time;
    die "--turns measures one copy of each side: leave out --copies, or give --copies 1\n"
        if defined $option->{turns} && grep { $_ ne '1' } @{ $option->{copies} || [] };
    return;
}

# ---- the sides of ab ----

# -> [options that only the programs of this side get, and -- with arguments of a target]
sub of_side {
    my ($side, $both) = @_;
    my @words = Text::ParseWords::shellwords($both->{$side});
    die "--$side: '$both->{$side}': a quote is not closed\n" if !@words && $both->{$side} =~ /\S/;
    my $target_arguments = cut_at_double_dash(\@words);
    my ($option, @names) = eval { read_options(@words) };
    die "--$side: $@" if !$option;
    my @others = ((map { "--$_" } grep { !option($_)->{feature} } sort keys %{$option}), @names);
    die "--$side: '$others[0]' is not an option of the programs\n" if @others;
    check_together({ %{$both}, %{$option} });
    return [ pass_on($option), @{$target_arguments} ? (q{--}, @{$target_arguments}) : () ];
}

# ---- the programs ----

# -> the options that the test programs get, as they take them
sub pass_on {
    my ($option) = @_;
    my @names = grep { defined $option->{$_} } sort(passed_on()) or return;
    require SpawnMeter::Measure::Settings;    # not for commands that measure nothing
    return SpawnMeter::Measure::Settings::options_of(
        map { [ $_, defined option($_)->{value} ? $option->{$_} : undef ] } @names);
}

# Dies where an option is given that no test takes; where some take it the others are skipped.
sub check_tests {
    my ($option, $catalog) = @_;
    my ($command, @names) = @{ $option->{names} };
    return if !has(option('burst')->{of}, $command);
    my @tests = grep { !$_->{tree} }
        eval { SpawnMeter::Catalog::Tests::choose($catalog, @names) };    # all names are known
    my %given =
        map { /^(--(.*))/ ? ($2 => $1) : () } map { @{ $_ || [] } } @{$option}{qw(pass_on a b)};
    if (@{ $option->{target_arguments} }) {
        die "what follows -- is for the program that a test starts: name a test before it, or "
            . "--exec PROGRAM\n"
            if !@names && !$given{exec};
        $given{exec} ||= 'arguments after --';
    }
    for my $entry (map { option($_) } @tests ? grep { $given{$_} } passed_on() : ()) {
        next if grep { has_feature($catalog, $_, $entry->{feature}) } @tests;
        my @others = with_feature($catalog, $entry->{feature});
        my $who = @names ? join q{, }, map { $_->{name} } @tests : 'the tests without a name';
        die "$who: no test that takes $given{ $entry->{name} }; name one of @others\n";
    }
    return;
}

# ---- values ----

my $SIZE = qr/(\d{1,15}(?:[.]\d+)?)(?:([kmgt])(?:i?b)?|b)?/ai;
my $COPIES = qr/(?:cpus|half|[1-9]\d{0,4}(?:-[1-9]\d{0,4})?)/a;
my $CPUS = qr/\d{1,5}(?:-\d{1,5})?/a;

# kind => [words for a message; pattern or sub (text, words in brackets) -> value; what joins these]
my %KIND = (
    copies => [
        'a whole number from 1 to 99999, a range like 1-8, cpus (one for each usable CPU), half, '
            . 'or a list of these',
        \&copies
    ],

    files   => [ 'a number up to 99999999, or one, a comma and a path', qr/\A\d{1,8}(?:,.+)?\z/a ],
    filters => [ 'a number of instructions up to 4096, a file, or a list of these', \&filters ],

    # scripts find the scores of a report by that word
    label => [
        'one line of at most 80 characters without the word "Score", which begins with no dash and '
            . 'is not latest',
        qr/^(?!.*Score|-|latest(?:~\d*)?\z)[^[:cntrl:]]{1,80}\z/
    ],
    least  => [ 'a number of seconds, at least ', \&seconds ],
    list   => [ 'a list of ', \&list, q{, } ],
    memory => [
        'a size: digits, then k, M, G, T or nothing, like 100M; then of what kind, like '
            . '100M,shared: shared, file=PATH, folio=64k, folio=system',
        \&memory
    ],
    one =>
        [ 'one of ', sub { my ($text, @words) = @_; has(\@words, $text) ? $text : undef }, q{, } ],
    percentage => [ 'a percentage above 0 and below 100, like 3%', \&percentage ],
    placement  => [ 'cores, or CPUs like 0,2-5', qr/\A(?:usable|cores|$CPUS(?:,$CPUS)*)\z/ ],
    seconds    => [ 'a number of seconds above 0, like 0.5, 10s or 5m', \&seconds ],
    side       => [ 'options of the programs', qr/\A/ ],
    size       => [ 'a size: digits, then k, M, G, T or nothing, like 100M', \&size ],
    whole      => [ 'a whole number from ', \&whole, ' to ' ],
);

sub value {
    my ($kind, $text) = @_;
    my ($check, @limits) = kind_of($kind);
    return $check->[1]->($text, @limits) if ref $check->[1] eq 'CODE';
    return $text =~ $check->[1] ? $text : undef;
}

sub must_be {
    my ($kind) = @_;
    my ($words, @limits) = kind_of($kind);
    return $words->[0] . join $words->[2] || q{}, @limits;
}

# -> (its entry in %KIND, what stands in brackets)
sub kind_of {
    my ($kind) = @_;
    my ($name, $given) = $kind =~ /^(\w+)(?:[(](.*)[)])?\z/;
    return ($KIND{$name}, split q{ }, $given || q{});
}

sub copies {
    my ($text) = @_;
    return if $text !~ /^$COPIES(?:,$COPIES)*\z/;
    return (grep { /(.*)-(.*)/ && $1 > $2 } split /,/, $text) ? undef : $text;
}

sub percentage {
    my ($text) = @_;
    return $text =~ /^(\d{1,2}(?:[.]\d{1,4})?)%?\z/a && $1 > 0 ? "$1%" : undef;
}

my %SECONDS = (ms => 0.001, s => 1, m => 60, min => 60, h => 3600);

sub seconds {
    my ($text, $least) = @_;
    my ($number, $unit) = $text =~ /^(\d{0,6}(?:[.]\d{1,6})?)(ms|s|m|min|h)?\z/a or return;
    return if $number !~ /[1-9]/;
    $number = sprintf('%.6f', $number * $SECONDS{$unit}) =~ s/[.]?0+\z//r if defined $unit;
    return $number >= ($least || 0) ? $number : undef;
}

# -> a size as the programs take it: they know no T, and no 100m or 100MB.
sub size {
    my ($text) = @_;
    my ($number, $unit) = $text =~ /^$SIZE\z/ or return;
    return $number if !defined $unit;
    return $number * 1024 . 'G' if lc $unit eq 't';
    return $number . (lc $unit eq 'k' ? 'k' : uc $unit);
}

# A size, and words of what it is
sub memory {
    my ($text) = @_;
    my $kind = qr/(?:shared|file=.+|folio=(?:\d+[kM]|system))/;
    my ($size, @words) = split /[,+]/, $text, -1;
    $size = size($size // q{});
    return defined $size && !(grep { !/^$kind\z/ } @words) ? join q{,}, $size, @words : undef;
}

sub whole {
    my ($n, $from, $to) = @_;
    return $n =~ /^\d{1,15}\z/a && $n >= $from && $n <= $to ? $n : undef;
}

sub filters {
    my ($text) = @_;
    my @words = split /[,+]/, $text, -1;
    return (grep { !length || /\A\d+\z/a && $_ > 4096 } @words) ? undef : $text;
}

sub list {
    my ($text, @words) = @_;
    my $word = join q{|}, map { s/=SIZE/=$SIZE/r =~ s/=N/=\\d{1,4}/r } @words;
    return $text =~ /^(?:$word)(?:[,+](?:$word))*\z/ ? $text : undef;
}

1;
