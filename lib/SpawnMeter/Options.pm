# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Options;

# The only table of options, and of what each verb takes.  The parser, the checks and a test
# that compares the table with the manual follow from it.
#
#   parse(arguments) -> { option => value, copies => [texts like 4, 1-8 or cpus], names =>
#       [verb and names, or names], pass_on => [options for the test programs],
#       target_arguments => [what follows --], a and b => [options for the test programs that
#       follow --a and --b] }; dies with a message
#   names() -> the long names of all options;  verbs() -> the verbs
#   taken(verb, or an empty text for none) -> options that it takes: { name, names => as they
#       are typed, value => true where one follows }
#   options_of() -> { verb ('' for measuring) => [long names of its options] }

use strict;
use warnings;
use File::Spec                   ();
use Getopt::Long                 ();
use SpawnMeter::Util::DidYouMean qw(nearest);

my $NUMBER = qr/^\d{1,9}$/;
my $COUNT = qr/^[1-9]\d{0,14}$/;
my $SIZE = qr/^\d{1,15}(?:[.]\d+)?[kKmMgG]?$/;
my $SECONDS = qr/^(?=[\d.]*[1-9])\d{0,6}(?:[.]\d{1,6})?$/;

# Scripts find the scores of a report by that word
my $LABEL = qr/^(?!.*Score)[^[:cntrl:]]{1,80}\z/;
my $A_LABEL = 'one line of at most 80 characters without the word "Score"';

# How --pin assigns copies to CPUs; without a value it is usable
my $CPU_LIST = qr/\d{1,5}(?:-\d{1,5})?/;
my $PLACEMENT =
    qr/^(?:usable|cores|threads|packages|performance|middle|efficiency|$CPU_LIST(?:,$CPU_LIST)*)\z/;

use constant COPIES_MAX => 99_999;

# Below this perl writes numbers as 9e-05, which the test programs do not read
use constant SLICE_MIN => 0.0001;

my %A_COUNT = (check => $COUNT, must_be => 'a whole number above 0');
my %SOME_THREADS = (
    check   => qr/^(?:[1-9]\d{0,2}|10(?:[01]\d|2[0-4]))\z/,
    must_be => 'a whole number from 1 to 1024'
);
my %A_NUMBER = (check => $NUMBER, must_be => 'a whole number');
my %A_PERCENTAGE =
    (check => \&is_percentage, must_be => 'a percentage above 0 and below 100, like 3%');
my %A_SIZE = (check => $SIZE, must_be => 'a size: digits, then k, M, G or nothing');
my %SOME_SECONDS = (check => $SECONDS, must_be => 'a number of seconds above 0');

# The parts of the test launch (src/launch/ingredients.c)
my %INGREDIENT =
    map { $_ => 1 } qw(pipes actions closefrom chdir signals pgroup path pidfd all none);
my $INGREDIENTS = 'a list of ' . join(q{, }, sort keys %INGREDIENT) . ' and output=SIZE';

# What the test clone3 can give its child (src/harness/namespaces.c)
my %NAMESPACE = map { $_ => 1 } qw(user pid net ipc uts mnt cgroup time all);
my $NAMESPACES = 'a list of ' . join q{, }, sort keys %NAMESPACE;

# form: of Getopt::Long; check: pattern or sub, of each value; must_be: what the check
# demands; for_programs: passed on to the test programs
my %PASSED = (for_programs => 1);

# sided: options for the test programs of one side follow it
my %A_COMMAND = (check => qr/\S/, must_be => 'a command');
my %OPTION = (
    a         => { sided => 1 },
    again     => { form  => 'again' },
    anonymous => { form  => 'anonymous' },
    ascii     => { form  => 'ascii' },
    b         => { sided => 1 },
    beside    => { form  => 'beside=s', check   => qr/./, must_be => 'a report' },
    baseline  => { form  => 'baseline=s', check => qr/./, must_be => 'a name or a file' },
    brief     => { form  => 'b|brief' },
    burst     => { form  => 'burst=s', %A_COUNT, %PASSED },
    by        => {
        form    => 'by=s',
        check   => qr/^(?:posix_spawn|vfork|fork|execve|execveat|fexecve)$/,
        must_be => 'posix_spawn, vfork or fork, or for exec tests execve, execveat or fexecve',
        %PASSED
    },
    'cgroup-procs' => {
        form    => 'cgroup-procs=s',
        check   => qr/^[\w.=-]+(?:[,+][\w.=-]+)*\z/,
        must_be => 'a list of v2, v1, controllers of version 1, and none',
        %PASSED
    },
    check   => { form => 'check' },
    classic => { form => 'classic' },
    color   => {
        form    => 'color=s',
        check   => qr/^(?:auto|always|never)\z/,
        must_be => 'auto, always or never'
    },
    'clear-sighand' => { form => 'clear-sighand', %PASSED },
    'classic-tree'  => { form => 'classic-tree=s', check => qr/./, must_be => 'a folder' },
    copies          => {
        form    => 'c|copies=s@',
        check   => \&are_copies,
        must_be =>
            'a whole number from 1 to 99999, a range like 1-8, cpus, half, or a list of these'
    },
    count       => { form => 'count=s', %A_COUNT, %PASSED },
    csv         => { form => 'csv' },
    dontfork    => { form => 'dontfork', %PASSED },
    environment => { form => 'environment=s', %A_SIZE, %PASSED },
    exec        => { form => 'exec=s', check => qr/./, must_be => 'a path', %PASSED },
    'exec-path' => {
        form    => 'exec-path=s',
        check   => qr/^(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-6])\z/,
        must_be => 'a whole number from 1 to 256',
        %PASSED
    },
    'fail-if-slower' => { form => 'fail-if-slower=s', %A_PERCENTAGE },
    faulting         => { form => 'faulting=s', %SOME_THREADS, %PASSED },
    files            => { form => 'files=s', %A_NUMBER, %PASSED },
    heap             => { form => 'heap=s', %A_SIZE, %PASSED },
    help             => { form => 'h|help' },
    history          => { form => 'history' },
    html             => { form => 'html' },
    hugepages        => { form => 'hugepages', %PASSED },
    iterations       => {
        form    => 'i|iterations=s',
        check   => qr/^[1-9]\d{0,8}$/,
        must_be => 'a whole number above 0'
    },
    'into-cgroup' => { form => 'into-cgroup', %PASSED },
    json          => { form => 'json' },
    'keep-going'  => { form => 'keep-going' },
    label         => { form => 'label=s', check => $LABEL, must_be => $A_LABEL },
    libraries     => {
        form    => 'libraries=s',
        check   => qr/^(?:\d|[1-5]\d|6[0-4])\z/,
        must_be => 'a whole number from 0 to 64',
        %PASSED
    },
    limits     => { form => 'limits' },
    mappings   => { form => 'mappings=s', %A_NUMBER, %PASSED },
    markdown   => { form => 'markdown' },
    'max-time' => { form => 'max-time=s', %SOME_SECONDS },
    mix        => {
        form    => 'mix=s',
        check   => qr/\A[ +]*[^ +;][^;]*(?:;[ +]*[^ +;][^;]*)*\z/,
        must_be => 'commands with ";" between them, and blanks or + between their words',
        %PASSED
    },
    namespaces => {
        form    => 'namespaces=s',
        check   => sub { return is_list_of(\%NAMESPACE, @_) },
        must_be => $NAMESPACES,
        %PASSED
    },
    'no-reference' => { form => 'no-reference' },
    output         => { form => 'output=s', check => qr/./, must_be => 'a path' },
    'max-total'    => { form => 'max-total=s', %SOME_SECONDS },
    pause          => { form => 'pause=s', %SOME_SECONDS, %PASSED },
    phases         => { form => 'phases', %PASSED },
    pidfd          => { form => 'pidfd', %PASSED },
    pin            => {
        form    => 'pin=s',
        check   => $PLACEMENT,
        must_be => 'cores, threads, packages, performance, middle, efficiency, or CPUs like 0,2-5',
    },
    precision     => { form => 'precision=s', %A_PERCENTAGE },
    'own-target'  => { form => 'own-target', %PASSED },
    'programs-a'  => { form => 'programs-a=s', check => qr/./, must_be => 'a folder' },
    'programs-b'  => { form => 'programs-b=s', check => qr/./, must_be => 'a folder' },
    quick         => { form => 'quick' },
    quiet         => { form => 'q|quiet' },
    raw           => { form => 'raw', %PASSED },
    resume        => { form => 'resume=s', check => qr/./, must_be => 'the name of a run' },
    'relative-to' =>
        { form => 'relative-to=s', check => qr/./, must_be => 'the name of one of the runs' },
    seed           => { form => 'seed=s', %A_NUMBER },
    'set-a'        => { form => 'set-a=s', %A_COMMAND },
    'set-b'        => { form => 'set-b=s', %A_COMMAND },
    'set-back'     => { form => 'set-back=s', %A_COMMAND },
    'set-back-now' => { form => 'set-back-now' },
    settle         => { form => 'settle' },
    slice          => {
        form    => 'slice=s',
        check   => sub { $_[0] =~ $SECONDS && $_[0] >= SLICE_MIN },
        must_be => 'a number of seconds, at least ' . SLICE_MIN
    },
    shared        => { form => 'shared', %PASSED },
    sort          => { form => 'sort' },
    spawners      => { form => 'spawners=s', %SOME_THREADS, %PASSED },
    steadied      => { form => 'steadied' },
    'stop-a'      => { form => 'stop-a=s', %A_COMMAND },
    'stop-b'      => { form => 'stop-b=s', %A_COMMAND },
    swapped       => { form => 'swapped', %PASSED },
    syscalls      => { form => 'syscalls' },
    targets       => { form => 'targets=s', %A_COUNT, %PASSED },
    tidy          => { form => 'tidy' },
    threads       => { form => 'threads=s', %A_NUMBER, %PASSED },
    touch         => { form => 'touch=s', %A_SIZE, %PASSED },
    to            => { form => 'to=s', check => qr/./, must_be => 'a file' },
    verbose       => { form => 'v|verbose' },
    version       => { form => 'version' },
    'wrap-a'      => { form => 'wrap-a=s', %A_COMMAND },
    'wrap-b'      => { form => 'wrap-b=s', %A_COMMAND },
    'with-stored' => { form => 'with-stored' },
    with          =>
        { form => 'with=s', check => \&is_list_of_ingredients, must_be => $INGREDIENTS, %PASSED },
);

my @FOR_PROGRAMS = grep { $OPTION{$_}{for_programs} } keys %OPTION;
my @MEASURING = qw(quiet brief verbose iterations classic settle quick precision max-time slice
    seed pin label no-reference output);

# Whatever is printed for people can have colours
my @FOR_PEOPLE = qw(color);

# verb => { options, no_names => true where nothing follows it, but => the only name that can,
# target => true where arguments for a target can follow -- }.  Without a verb tests are measured.
my $NO_VERB = q{};
my %TAKES = (
    ab => {
        options => [
            @FOR_PEOPLE, @FOR_PROGRAMS,
            qw(a b wrap-a wrap-b stop-a stop-b set-a set-b set-back set-back-now programs-a
                programs-b resume steadied copies csv fail-if-slower json label
                markdown max-time max-total output pin precision quiet brief verbose iterations
                seed slice)
        ],
        target => 1,
    },
    $NO_VERB => {
        options => [ @MEASURING, @FOR_PEOPLE, qw(copies classic-tree baseline csv), @FOR_PROGRAMS ],
        target  => 1,
    },
    aa => {
        options => [
            @MEASURING, @FOR_PEOPLE, qw(copies classic-tree baseline with-stored), @FOR_PROGRAMS
        ],
        target => 1,
    },
    compare => {
        options => [
            @FOR_PEOPLE,
            qw(anonymous baseline copies csv html json markdown keep-going relative-to sort
                fail-if-slower
                history to with-stored)
        ]
    },
    doctor    => { options => [ @FOR_PEOPLE, 'copies' ], no_names   => 1 },
    explain   => { options => [ @MEASURING, @FOR_PEOPLE ], no_names => 1 },
    export    => { options => [ @FOR_PEOPLE, qw(anonymous baseline output to) ] },
    help      => { options => [] },
    list      => { options => \@FOR_PEOPLE, no_names => 1, but => 'published' },
    published => {
        options =>
            [ @FOR_PEOPLE, qw(again brief check label max-total output quick quiet seed verbose) ]
    },
    runs  => { options => [ @FOR_PEOPLE, qw(csv baseline output) ], no_names => 1 },
    show  => { options => [ @FOR_PEOPLE, qw(anonymous ascii baseline brief csv html tidy) ] },
    sweep => {
        options => [ @MEASURING, @FOR_PEOPLE, qw(ascii beside csv copies count limits) ],
        target  => 1,
    },
    trace => {
        options => [
            @FOR_PEOPLE, qw(brief count exec files heap label libraries output pin quiet syscalls)
        ]
    },
);

sub names { return sort keys %OPTION }

sub verbs {
    return sort grep { length($_) } keys %TAKES;
}

sub taken {
    my ($verb) = @_;
    my @taken;
    for my $name (sort @{ $TAKES{$verb}{options} }, qw(help version)) {
        my ($names, $value) = split /=/, $OPTION{$name}{form} || q{};
        my @names = $OPTION{$name}{sided} ? "--$name" : map { dashed($_) } split /[|]/, $names;
        push @taken, { name => $name, names => \@names, value => defined $value };
    }
    return @taken;
}

sub options_of {
    return { map { $_ => $TAKES{$_}{options} } keys %TAKES };
}

sub are_copies {
    my ($text) = @_;
    for my $part (split /,/, $text, -1) {
        next if $part =~ /^(?:cpus|half)\z/;
        my ($from, $to) = $part =~ /^([1-9]\d{0,4})(?:-([1-9]\d{0,4}))?\z/a or return 0;
        return 0 if defined $to && $to < $from;
    }
    return length $text;
}

sub is_percentage {
    my ($text) = @_;
    return $text =~ /^(\d{1,2}(?:[.]\d{1,4})?)%?$/ && $1 > 0;
}

# -> true if each word between the separators is a key
sub is_list_of {
    my ($known, $text) = @_;
    return length($text) && !grep { !$known->{$_} } split /[,+]/, $text, -1;
}

sub is_list_of_ingredients {
    my ($text) = @_;
    my @wrong = grep { !$INGREDIENT{$_} && !(/^output=(.*)/ && $1 =~ $SIZE) } split /[,+]/, $text,
        -1;
    return length($text) && !@wrong;
}

sub parse {
    my (@arguments) = @_;
    my $target_arguments = cut_at_double_dash(\@arguments);
    give_pin_a_value(\@arguments);
    my %side = cut_sides(\@arguments);
    my ($option, @names) = read_options(@arguments);
    $option->{$_} = of_side($_, $option, @{ $side{$_} }) for sort keys %side;
    check_value($_, $option->{$_}) for sort keys %{$option};
    check_together($option);

    if (!$option->{help} && !$option->{version}) {
        check_verb($option, $target_arguments, @names);
    }
    check_classic($option) if $option->{classic};    # of those that take it
    $option->{names} = \@names;
    $option->{pass_on} = [ pass_on($option) ];
    $option->{target_arguments} = $target_arguments;
    return $option;
}

# What follows a lone -- is for the target that the exec tests run
sub cut_at_double_dash {
    my ($arguments) = @_;
    for my $i (0 .. $#{$arguments}) {
        next if $arguments->[$i] ne q{--};
        my (undef, @rest) = splice @{$arguments}, $i;
        return \@rest;
    }
    return [];
}

# --pin alone, or before anything that is no placement, such as the name of a test
sub give_pin_a_value {
    my ($arguments) = @_;
    for my $i (reverse 0 .. $#{$arguments}) {
        next if $arguments->[$i] ne '--pin';
        my $next = $arguments->[ $i + 1 ];
        my $has_value = defined $next && $next =~ $PLACEMENT;
        splice @{$arguments}, $i, $has_value ? 2 : 1, '--pin=' . ($has_value ? $next : 'usable');
    }
    return;
}

# What follows --a and --b, as far as it is options for the test programs: { a => [arguments] }
sub cut_sides {
    my ($arguments) = @_;
    my %programs = map { $_ => $OPTION{$_}{form} =~ /=/ ? 1 : 0 } @FOR_PROGRAMS;
    my (%side, @others, $side);
    while (@{$arguments}) {
        my $argument = shift @{$arguments};
        if ($argument =~ /^--([ab])\z/) {
            $side = $1;
            $side{$side} ||= [];
            next;
        }
        my ($name, $value) = $argument =~ /^--([\w-]+)(=.*)?\z/s;
        $side = undef if !defined $name || !exists $programs{$name};
        my $place = defined $side ? $side{$side} : \@others;
        push @{$place}, $argument;
        push @{$place}, shift @{$arguments}
            if defined $side && $programs{$name} && !defined $value && @{$arguments};
    }
    @{$arguments} = @others;
    return %side;
}

# -> [what the programs of a side are given besides what both are]
sub of_side {
    my ($side, $both, @arguments) = @_;
    my ($option, @names) = read_options(@arguments);
    die "--$side: '$names[0]' is not an option\n" if @names;
    check_value($_, $option->{$_}) for sort keys %{$option};
    check_together({ %{$both}, %{$option} });
    return [ pass_on($option) ];
}

# -> ({ option => value }, the other arguments)
sub read_options {
    my (@arguments) = @_;
    my $parser =
        Getopt::Long::Parser->new(config => [qw(bundling no_auto_abbrev no_ignore_case permute)]);
    my (%given, @complaints);
    local $SIG{__WARN__} = sub { push @complaints, $_[0] };
    local @ARGV = @arguments;
    my $good = $parser->getoptions(\%given, map { $_->{form} || () } values %OPTION);
    die complaint($complaints[0], @arguments) if !$good;
    my %option;

    for my $name (grep { $OPTION{$_}{form} } keys %OPTION) {

        # Getopt::Long stores a value under the first name of the form
        my ($first) = $OPTION{$name}{form} =~ /^([\w-]+)/;
        $option{$name} = $given{$first} if defined $given{$first};
    }
    return (\%option, @ARGV);
}

# Getopt::Long's message in the words of this program
sub complaint {
    my ($text, @arguments) = @_;
    if (my ($name) = $text =~ /^Unknown option: (\S+)/) {
        my $dashes = grep({ /^--\Q$name\E(?:=|\z)/ } @arguments) ? q{--} : q{-};
        my $near = nearest($name, keys %OPTION);
        my $hint = defined $near ? "did you mean '--$near'?" : './Run --help lists the options';
        return "unknown option '$dashes$name'; $hint\n";
    }
    return "option '" . dashed($1) . "' needs a value\n"
        if $text =~ /^Option (\S+) requires an argument/;
    return "option '" . dashed($1) . "' takes no value\n"
        if $text =~ /^Option (\S+) does not take an argument/;
    return lcfirst $text;
}

sub dashed { my ($name) = @_; return (length $name > 1 ? q{--} : q{-}) . $name }

sub check_value {
    my ($name, $value) = @_;
    my ($check, $must_be) = @{ $OPTION{$name} }{qw(check must_be)};
    return if !defined $check;
    for my $one (ref $value ? @{$value} : $value) {
        my $good = ref $check eq 'CODE' ? $check->($one) : $one =~ $check;
        die "--$name: '$one' is not $must_be\n" if !$good;
    }
    return;
}

sub check_together {
    my ($option) = @_;
    for my $exclusive ([qw(classic settle quick)], [qw(markdown csv json html tidy)]) {
        my @given = grep { $option->{$_} } @{$exclusive};
        die "--$given[0] and --$given[1]: give only one of them\n" if @given > 1;
    }
    check_spawners($option) if ($option->{spawners} || 1) > 1;
    die "--own-target and --targets exclude each other\n"
        if $option->{'own-target'} && $option->{targets};
    my ($other) = grep { $option->{$_} } qw(exec targets own-target exec-path phases);
    $other = 'by' if !defined $other && ($option->{by} || q{}) =~ /^(?:execve|execveat|fexecve)\z/;
    die "--mix and --$other exclude each other\n" if defined $option->{mix} && defined $other;
    my $heap = defined $option->{heap};
    die "--hugepages needs --heap or --touch\n"
        if $option->{hugepages} && !$heap && !defined $option->{touch};
    die "--dontfork, --shared and --swapped need --heap\n"
        if grep({ $option->{$_} } qw(dontfork shared swapped)) && !$heap;
    die "--swapped excludes --shared and --hugepages\n"
        if $option->{swapped} && ($option->{shared} || $option->{hugepages});
    return;
}

sub check_classic {
    my ($option) = @_;
    my ($own) = grep { defined $option->{$_} } qw(slice max-time precision);
    die "--classic and --$own exclude each other: it makes the passes of the classic suite\n"
        if defined $own;
    return;
}

sub check_spawners {
    my ($option) = @_;
    my ($other) = grep { defined $option->{$_} && $option->{$_} ne '1' } qw(burst touch pin);
    return if !defined $other && !($option->{count} && $option->{count} < $option->{spawners});
    die "--count: at least 1 for each of the $option->{spawners} threads of --spawners\n"
        if !defined $other;
    die '--spawners and --pin exclude each other: a copy is pinned with all its threads to one'
        . " CPU\n"
        if $other eq 'pin';
    die "--spawners and --$other exclude each other\n";
}

sub check_verb {
    my ($option, $target_arguments, @names) = @_;
    my ($verb, @more) = @names;
    $verb = $NO_VERB if !defined $verb || !$TAKES{$verb};
    my $takes = $TAKES{$verb};
    for my $name (sort keys %{$option}) {
        next if grep { $_ eq $name } @{ $takes->{options} };
        die "$verb does not take --$name\n" if length $verb;
        die "--$name: only with " . join(q{, }, verbs_with($name)) . "\n";
    }
    die "$verb takes no names, got '$more[0]'\n"
        if $takes->{no_names} && @more && "@more" ne ($takes->{but} || q{});
    die "$verb takes no arguments after --\n" if @{$target_arguments} && !$takes->{target};
    die "--mix has the arguments of its commands; leave out what follows --\n"
        if @{$target_arguments} && defined $option->{mix};
    return;
}

sub verbs_with {
    my ($name) = @_;
    return grep {
        my $verb = $_;
        grep { $_ eq $name } @{ $TAKES{$verb}{options} }
    } verbs();
}

sub path_of_mix {
    my ($path) = @_;
    my $absolute = File::Spec->rel2abs($path);
    die "--mix: blanks, + and ; part words, and are in $absolute; link to it from another folder\n"
        if $absolute =~ /[ +;]/;
    return $absolute;
}

# The options for the test programs, as these take them
sub pass_on {
    my ($option) = @_;
    my @list;
    for my $name (grep { defined $option->{$_} } sort @FOR_PROGRAMS) {
        my $value = $option->{$name};

        # the programs run in another folder
        $value = File::Spec->rel2abs($value) if $name eq 'exec' && $value =~ m{/};
        $value =~ s{(?:^|;)[ +]*\K([^ +;]*/[^ +;]*)}{path_of_mix($1)}ge if $name eq 'mix';
        push @list, "--$name", $OPTION{$name}{form} =~ /=/ ? $value : ();
    }
    return @list;
}

1;
