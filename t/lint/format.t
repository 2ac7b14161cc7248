# SPDX-License-Identifier: GPL-2.0-or-later
# MANIFEST is complete, the Perl source is formatted by perltidy, its lines and subs are short
# enough, and every file names its licence.  t/c/style.t looks at the C files.
use lib 't/lib';
use TestHelp;
use Seen;

chdir $ROOT or die;
my @listed = split /\n/, slurp_file('MANIFEST');

SKIP: {
    my $git = command({}, qw(git ls-files));
    skip 'this is not a clone, or git cannot read it', 1 if $git->{status} != 0;
    is_deeply(
        \@listed,
        [ split /\n/, $git->{out} ],
        'MANIFEST lists the files that git knows (make manifest)'
    );
}
my @all = grep { -f && !-l } @listed;
my @perl = grep { m{[.](?:pm|pl|t)\z|^Run\z|^tools/[a-z-]+\z} } @all;
cmp_ok(scalar @perl, '>', 100, 'the Perl files are found');

# All copies in one perltidy, which takes a tenth of the time of one for each
subtest 'perltidy changes nothing (make tidy)' => sub {
    plan skip_all => 'perltidy is not installed' if !needs(0, 'perltidy');
    my ($version) = command({}, tool('perltidy'), '--version')->{out} =~ /v(\d+)/;
    plan skip_all => "perltidy 20220613 (Debian 12) formats these files, not $version"
        if $version != 20_220_613;
    my $folder = scratch();
    my @read = unseen('perltidy', ['.perltidyrc'], @perl);
    my @copies = map { spew("$folder/$_.pl", slurp_file($read[$_])) } 0 .. $#read;
    return pass('no file has changed since') if !@read;
    my $got = command({}, tool('perltidy'), '-pro=.perltidyrc', qw(-b -bext=/), @copies);
    is($got->{status}, 0, 'perltidy reads every file') or diag $got->{err};
    my @well =
        map { $read[$_] } grep { slurp_file($copies[$_]) eq slurp_file($read[$_]) } 0 .. $#read;
    all_well('perltidy', ['.perltidyrc'], @well) if $got->{status} == 0;
    my %well = map { $_ => 1 } @well;
    is("@{[ grep { !$well{$_} } @read ]}", q{}, 'no file changes');
};

is(command({}, $^X, 'tools/sizes', @perl)->{out},
    q{}, 'lines, subs and modules are short (tools/sizes)');

my @unnamed =
    grep { slurp_file($_) !~ /\A(?:#![^\n]*\n)?[^\n]*SPDX-License-Identifier: GPL-2\.0-or-later/ }
    @perl,
    grep { m{^(?:src/.*[.]S|[.]ci/run|pgms/shells|pgms/shell-task|plots/.*[.]gp)\z} } @all;
is("@unnamed", q{}, 'every source file names its licence');
done_testing;
