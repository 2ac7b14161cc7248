# SPDX-License-Identifier: GPL-2.0-or-later
# What make expands in a recipe becomes text for a shell, and its own functions in the value run
# first.  So recipes expand what the Makefile itself defines, and a few variables that only the
# user of make sets.  What a host of a fleet says never goes through make.
use lib 't/lib';
use TestHelp;

# The user's own, who can as well run commands
my %TRUSTED = map { $_ => 1 } qw(CC CFLAGS CPPFLAGS LDFLAGS PREFIX DESTDIR UB_GCC_OPTIONS BINDIR
    WORK UNFINISHED TESTS_LIST V INVENTORY FLEET_FLAGS PROVE_FLAGS FUZZ LONG MINUTES PAIRS RUNS
    SECONDS TREE WINDOWS_FLAGS WINDOWS_TARGET CURDIR MAKE MAKEFILE_LIST);

sub expanded { my ($text) = @_; return $text =~ /\$[({](?:call\s+)?([[:alpha:]_]\w*)(?=[)}:,])/ag }

# Names that a recipe expands, or a definition that it uses, and that nobody vouches for
sub unknown {
    my ($text) = @_;
    $text =~ s/\\\n\s*/ /g;
    my %defined;
    push @{ $defined{$1} }, $2
        while $text =~ /^(?:[^\t#\n=]+: )?([[:alpha:]_]\w*)\s*(?::|)=(.*)$/agm;
    my %local = map { $_ => 1 } $text =~ /\$\(foreach\s+(\w+),/ag;
    my @open = map { expanded($_) } $text =~ /^\t(.*)/gm;
    my (%seen, @unknown);
    while (defined(my $name = shift @open)) {
        next if $seen{$name}++ || $TRUSTED{$name} || $local{$name};
        push @unknown, $name if !$defined{$name};
        push @open, map { expanded($_) } @{ $defined{$name} || [] };
    }
    return sort @unknown;
}

my $makefile = join q{}, map { slurp_file($_) } "$ROOT/Makefile", glob "\Q$ROOT\E/mk/*.mk";
is(join(q{ }, unknown($makefile)), q{}, 'recipes expand constants and what the user sets');

done_testing;
