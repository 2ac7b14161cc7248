# SPDX-License-Identifier: GPL-2.0-or-later
# Every function that a module of lib calls exists, and the module loads the one that has it: perl
# finds either only when it is called.  The compiled code is searched for calls by name.
use lib 't/lib';
use TestHelp;
use B ();

# Those that a module's AUTOLOAD makes at the first call
my $MADE_LATER = qr/::CLOCK_[A-Z]+\z/;

# The names that the code of a function calls
sub calls {
    my ($code) = @_;
    my $cv = B::svref_2object($code);
    return if ref $cv->ROOT eq 'B::NULL';
    my $pad = ($cv->PADLIST->ARRAY)[1];
    my @open = ($cv->ROOT);
    my @names;
    while (my $op = shift @open) {
        if ($op->name eq 'gv' && ref $op->next ne 'B::NULL' && $op->next->name eq 'entersub') {
            my $gv = ref $op eq 'B::PADOP' ? ($pad->ARRAY)[ $op->padix ] : $op->gv;
            push @names, $gv->STASH->NAME . q{::} . $gv->NAME if ref $gv eq 'B::GV';
        }
        next if !($op->flags & B::OPf_KIDS());
        for (my $kid = $op->first ; ref $kid ne 'B::NULL' ; $kid = $kid->sibling) {
            push @open, $kid;
        }
    }
    return @names;
}

# The functions that a module calls by name, but for its own that it has
sub missing {
    my ($package, $file) = @_;
    no strict 'refs';
    my @functions = map { \&{"${package}::$_"} } grep { defined &{"${package}::$_"} }
        keys %{"${package}::"};
    @functions =
        grep { B::svref_2object($_)->GV->STASH->NAME eq $package } @functions;    # not imported
    my %called = map { $_ => 1 } map { calls($_) } @functions;
    my %loads = map { $_ => 1 } $package,
        slurp_file($file) =~ /\b(?:use|require) (SpawnMeter::[\w:]+)/g;
    my $unloaded = sub { my ($of) = $_[0] =~ /^(SpawnMeter::.*)::/; return $of && !$loads{$of} };
    return grep { (!defined &{$_} || $unloaded->($_)) && !/$MADE_LATER/ } sort keys %called;
}

my @files = map { s{^lib/}{}r } split /\n/, `find lib -name '*.pm'`;
require $_ for @files;

# What a module loads when it is needed
for my $needed (map { slurp_file("lib/$_") =~ /\brequire ((?!SpawnMeter)[\w:]+);/g } @files) {
    eval { require($needed =~ s{::}{/}gr . '.pm') };    # not installed: its calls are reported
}
subtest 'functions that are called exist' => sub {
    cmp_ok(scalar @files, '>', 50, 'the modules are found');
    for my $file (sort @files) {
        my $package = $file =~ s{/}{::}gr =~ s/[.]pm\z//r;
        is(join(q{ }, missing($package, "lib/$file")), q{}, $package);
    }
};

done_testing;
