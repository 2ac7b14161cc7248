# SPDX-License-Identifier: GPL-2.0-or-later
# The harness files form no circle: neither through the functions that they call (nm on
# their object files) nor through the headers that they include.  What all programs have calls no
# feature (struct feature), and a program has those only that its test names.
use lib 't/lib';
use TestHelp;

my @sources = glob "\Q$ROOT\E/src/harness/*.c";

# { node => { node => 1 } } -> the nodes of one cycle in order, or an empty list
sub cycle {
    my ($edges) = @_;
    my (%state, @path);
    my $visit;
    $visit = sub {
        my ($node) = @_;
        if (($state{$node} || q{}) eq 'open') {
            shift @path while $path[0] ne $node;
            return 1;
        }
        return 0 if $state{$node};
        $state{$node} = 'open';
        push @path, $node;
        for my $next (sort keys %{ $edges->{$node} || {} }) {
            return 1 if $visit->($next);
        }
        pop @path;
        $state{$node} = 'done';
        return 0;
    };
    for my $node (sort keys %{$edges}) {
        return @path if $visit->($node);
    }
    return;
}

# The nodes that these lead to, and they themselves
sub closure {
    my ($edges, @nodes) = @_;
    my %found;
    while (defined(my $node = shift @nodes)) {
        push @nodes, keys %{ $edges->{$node} || {} } if !$found{$node}++;
    }
    return %found;
}

sub name_of { my ($path) = @_; return $path =~ m{([^/]+)[.]\w+\z} }

# nm's lines -> the symbols that an object file defines and those that it needs
sub symbols {
    my ($object) = @_;
    my (%defines, %needs);
    for my $line (split /\n/, command({}, tool('nm'), '-g', '-P', $object)->{out}) {
        my ($symbol, $type) = split q{ }, $line;
        ($type eq 'U' ? \%needs : \%defines)->{$symbol} = 1;
    }
    return (\%defines, \%needs);
}

SKIP: {
    skip 'nm is missing', 5 if !needs(1, 'nm');
    my (%homes, %needs, %calls);
    for my $source (@sources) {
        my ($name) = name_of($source);
        my $object = "$ROOT/build/dynamic/$name.o";
        next if !-e $object;    # of another system
        my ($defines, $needed) = symbols($object);
        $homes{$_}{$name} = 1 for keys %{$defines};
        $needs{$name} = $needed;
    }
    for my $name (keys %needs) {

        # os_image, say, has a home in each os-NAME.c
        for my $symbol (keys %{ $needs{$name} }) {
            $calls{$name}{$_} = 1 for grep { $_ ne $name } keys %{ $homes{$symbol} || {} };
        }
    }
    cmp_ok(scalar(map { keys %{$_} } values %calls),
        '>', 15, 'the calls between harness files are found');
    is(join(' -> ', cycle(\%calls)), q{}, 'no circle of calls between harness files');
    my %features = map { %{ $homes{$_} } } grep { /\A\w+_feature\z/ } keys %homes;
    delete $features{loop};    # the loop of a burst is the loop
    my %core = closure(\%calls, 'main');
    is(
        "@{[ grep { $core{$_} } sort keys %features ]}",
        q{},
        'what each program has calls no feature that it may not have'
    );

    my %vfork = closure(\%calls, qw(main footprint spawners placement reap depth));
    my @outside = map { keys %{$_} }
        map { (symbols("$ROOT/build/dynamic/$_.o"))[0] } grep { !$vfork{$_} } sort keys %needs;
    my ($has) = symbols("$ROOT/pgms/vfork");
SKIP: {
        skip 'the linker leaves out nothing', 1
            if (slurp_file("$ROOT/build/flags") || q{}) !~ /gc-sections|dead_strip/;
        is(join(q{ }, grep { $has->{$_} } sort @outside),
            q{}, 'vfork has nothing of the features that it does not name');
    }
    is_deeply($calls{outcome} || {}, { util => 1 }, 'outcome.c, which all use, uses util.c only');
}

my %includes;
for my $path (@sources, glob "\Q$ROOT\E/src/harness/*.h") {
    my ($file) = $path =~ m{([^/]+)\z};
    my $text = slurp_file($path);
    $includes{$file}{$1} = 1 while $text =~ /^#include "(?:harness\/)?([^"]+)"/mg;
}
is(join(' -> ', cycle(\%includes)), q{}, 'no circle of includes between harness files');
is(join(q{ }, cycle({ a => { b => 1 }, b => { c => 1 }, c => { b => 1 } })),
    'b c', 'a circle is found');
is_deeply([ cycle({ a => { b => 1, c => 1 }, b => { c => 1 } }) ], [], 'a diamond is not a circle');
done_testing;
