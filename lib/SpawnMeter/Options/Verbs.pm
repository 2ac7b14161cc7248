# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Options::Verbs;

# Which options each verb takes, and what else can follow it.
#
#   verbs() -> the verbs
#   taken(verb, or an empty text for none) -> options that it takes: { name, names => as they
#       are typed, value => true where one follows }
#   options_of() -> { verb ('' for measuring) => [long names of its options] }
#   check_verb({ option => value }, [arguments for a target], verb and names, or names): dies
#       where the verb does not take one of these
#   dashed(name) -> as it is typed

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Options::Table qw(option for_programs);

our @EXPORT_OK = qw(verbs taken options_of check_verb dashed);

my @FOR_PROGRAMS = for_programs();
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
                programs-b resume steadied turns copies csv fail-if-slower json label
                markdown max-time max-total output pin precision quiet brief verbose iterations
                seed slice)
        ],
        target => 1,
    },
    $NO_VERB => {
        options =>
            [ @MEASURING, @FOR_PEOPLE, qw(copies classic-tree baseline csv repeat), @FOR_PROGRAMS ],
        target => 1,
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
                paired to with-stored)
        ],
        target => 1,
    },
    doctor    => { options => [ @FOR_PEOPLE, 'copies' ], no_names            => 1 },
    explain   => { options => [ @MEASURING, @FOR_PEOPLE, 'again' ], no_names => 1 },
    export    => { options => [ @FOR_PEOPLE, qw(anonymous baseline output to) ] },
    help      => { options => [] },
    list      => { options => \@FOR_PEOPLE, no_names => 1, but => 'published' },
    published => { options => [ @MEASURING, @FOR_PEOPLE, 'again' ] },
    runs      => { options => [ @FOR_PEOPLE, qw(csv baseline output) ], no_names => 1 },
    show      =>
        { options => [ @FOR_PEOPLE, qw(anonymous ascii baseline brief csv html tidy verbose) ] },
    sweep => {
        options => [ @MEASURING, @FOR_PEOPLE, qw(ascii csv copies) ],
        target  => 1,
    },
    trace => {
        options => [
            @FOR_PEOPLE, qw(brief count exec files heap label libraries output pin quiet syscalls)
        ]
    },
);

sub verbs {
    return sort grep { length($_) } keys %TAKES;
}

sub taken {
    my ($verb) = @_;
    my @taken;
    for my $name (sort @{ $TAKES{$verb}{options} }, qw(help version)) {
        my ($names, $value) = split /=/, option($name)->{form} || q{};
        my @names = option($name)->{sided} ? "--$name" : map { dashed($_) } split /[|]/, $names;
        push @taken, { name => $name, names => \@names, value => defined $value };
    }
    return @taken;
}

sub options_of {
    return { map { $_ => $TAKES{$_}{options} } keys %TAKES };
}

sub dashed { my ($name) = @_; return (length $name > 1 ? q{--} : q{-}) . $name }

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

1;
