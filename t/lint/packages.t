# SPDX-License-Identifier: GPL-2.0-or-later
# README, docs/platforms.md and .ci/run install the Debian packages of SpawnMeter::Util::Programs,
# and .ci/run keeps what it made, but nothing that is half made.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::Programs;

my @run = sort(SpawnMeter::Util::Programs::packages_to_run());
my @draw = sort(SpawnMeter::Util::Programs::packages_to_draw());

# The names behind "apt-get install" and its options, up to what follows
sub installed {
    my ($text) = @_;
    my @found;
    my $joined = $text =~ s/\\\n\s*//gr;
    while ($joined =~ /apt-get install ((?:-[\w=-]+ )*)([\w.+ -]+?) *(?:&&|$)/mg) {
        push @found, [ sort split q{ }, $2 ];
    }
    return @found;
}

my ($first) = installed(slurp_file("$ROOT/README"));
is_deeply($first, \@run, 'the first command of README installs what Run needs');
my @both = installed(slurp_file("$ROOT/docs/platforms.md"));
is_deeply(\@both, [ \@run, \@draw ], 'docs/platforms.md also what the pictures need');
my %ci = map { $_ => 1 } map { split } slurp_file("$ROOT/.ci/run") =~ /^packages=['"]([^'"]*)/mg;
is_deeply([ grep { !$ci{$_} } @run, @draw ], [], '.ci/run installs all of them');

subtest 'what .ci/run keeps' => sub {
    my $cache = scratch();
    my $made = sub {
        my ($script) = @_;
        return command({ env => { XDG_CACHE_HOME => "$cache" } },
            "$ROOT/.ci/cached", 'roots/one', 'sh', '-c', $script)->{status};
    };
    isnt($made->('echo half >file; exit 1'), 0, 'a command that fails');
    isnt($made->('echo half >file; kill -9 $PPID'), 0, 'and one that is killed');
    local $ENV{XDG_CACHE_HOME} = "$cache";
    ok(!-e cached('roots/one'), 'leave nothing that is used');
    is($made->('test ! -e file && echo whole >file'), 0, 'it is made from the beginning');
    is($made->('echo anew >file'), 0, 'and kept');
    is(slurp_file(cached('roots/one') . '/file'), "whole\n", 'as it was made');
};
done_testing;
