# What reads the source: shellcheck, perlcritic, compilers with all warnings as
# errors, and whether generated files are as their sources say.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;

chdir $ROOT or die;
my @modules = split /\n/, `find lib -name '*.pm'`;
my @sources = (
    glob('src/*.c'), glob('src/harness/*.c'),
    glob('src/bench/*.c'), glob('src/trace/*.c'),
    'src/targets/true.c', 'src/targets/library.c'
);

if (needs(1, 'perlcritic')) {
    my $got = command({}, tool('perlcritic'), qw(--quiet --profile .perlcriticrc), 'Run', 'lib');
    is($got->{out} . $got->{err}, q{}, 'perlcritic');
}
if (needs(1, 'shellcheck')) {
    my $got = command({}, tool('shellcheck'), qw(.ci/run pgms/shells pgms/shell-task));
    is($got->{out} . $got->{err}, q{}, 'shellcheck');
}
for my $cc (qw(gcc clang)) {
    next if !needs(1, $cc);
    for my $standard (qw(c11 c2x)) {
        my @bad;
        for my $source (@sources) {
            my $got = command({}, tool($cc), "-std=$standard",
                qw(-O2 -Wall -Wextra -Werror -D_GNU_SOURCE -Isrc -fsyntax-only), $source);
            push @bad, $got->{err} if $got->{status} != 0;
        }
        is("@bad", q{}, "$cc -std=$standard: no warning");
    }
}

# the parts for other systems compile too
is(
    command({}, 'cc', qw(-Wall -Wextra -Werror -Isrc -fsyntax-only src/harness/os-posix.c))->{err},
    q{}, 'os-posix.c'
);

for my $module (@modules, 'Run',
    grep { !m{/gate[.]pl\z} } glob 't/*/*.t t/lib/*.pm bench/*.pl t/*/*.pl tools/classic-tree') {
    my $got = command({}, $^X, qw(-Ilib -It/lib -wc), $module);
    like($got->{err}, qr/\A\Q$module\E syntax OK\n\z/, "perl -w: $module");
}
is(command({}, 'podchecker', '-warnings', 'Run')->{status}, 0, 'the manual is good POD')
    if needs(1, 'podchecker');
if (needs(1, 'pod2text')) {
    local $ENV{LC_ALL} = 'C';
    my $made = command({}, 'pod2text', '-w', '78', 'Run')->{out};
    ok($made eq slurp_file('USAGE'), 'USAGE is what the manual says (make usage)');
}

# No text from elsewhere can come to a shell, an eval, a format or a pattern of file names
my %unchecked = (
    'a format that is no constant' => qr/\bs?printf\s*(?:\{[^}]*\}\s*)?\(?\s*[\$\@]/,
    'a command for a shell'        =>
        qr/(?<![+'"\w-])(?:system|exec)(?:\s+|\s*\(\s*)["'\$]|\bopen\b[^;]*,\s*["'](?:-\||\|-)["']\s*,/,
    'an eval of text'                           => qr/\beval\s*\(?\s*["\$]/,
    'a pattern of file names with a name in it' => qr/\bglob\s*\(?\s*"(?!\\Q)[^"]*\$/,
);
for my $file (@modules, 'Run', 'tools/classic-tree') {
    my $code = slurp_file($file) =~ s/^__END__.*//msr =~ s/^\s*#.*$//mgr;
    for my $what (sort keys %unchecked) {
        my @found = grep { /$unchecked{$what}/ && !/## no critic/ } split /\n/, $code;
        is("@found", q{}, "$file: $what") if @found;
    }
}

# Every module has a place on the map, and there is no other
my ($map) = slurp_file('CONTRIBUTING') =~ /^The modules.*?\n(.*?)\n\n\S/ms;
my %mapped = map { $_ => 1 } $map =~ /(?:^  |, )([A-Z][\w:]+)/mg;
my %there =
    map { my $m = $_; $m =~ s{^lib/SpawnMeter/|[.]pm$}{}g; $m =~ s{/}{::}g; $m => 1 } @modules;
is_deeply(
    [ sort keys %mapped ],
    [ sort keys %there ],
    'CONTRIBUTING maps every module, and no other'
);

# The programs' options are in the manual as Run's
my $help =
    command({}, 'pgms/forkexec', '--help')->{out} . command({}, 'pgms/fork', '--help')->{out};
my %of_program = map { $_ => 1 } $help =~ /^  --([\w-]+)/mg;
delete @of_program{qw(help version gate cpu warmup no-latency)};
require SpawnMeter::Options;
my %of_run = map { $_ => 1 } SpawnMeter::Options::names();
is_deeply([ grep { !$of_run{$_} } sort keys %of_program ],
    [], 'Run passes on every option of the programs');

my $static = command({}, 'pgms/static/fork', '--count', 10);
is($static->{status}, 0, 'make static: the programs run');
like(command({}, 'pgms/static/fork', '--version')->{out},
    qr/static/, 'and say that they are static');
is(command({}, 'pgms/static/fork', '--libraries', 1, '--count', 1)->{status},
    2, 'and take no libraries');
done_testing;
