# SPDX-License-Identifier: GPL-2.0-or-later
# What reads the source: shellcheck, perlcritic, perl -w, and compilers with all warnings as
# errors.
use lib 't/lib';
use TestHelp;
use Seen;
use SpawnMeter::Catalog::Tests qw(has_feature);
use SpawnMeter::Options::Table qw(option passed_on);

chdir $ROOT or die;
my @modules = split /\n/, `find lib tools -name '*.pm'`;
my @programs = ('Run', grep { !/[.]/ } glob 'tools/*');

subtest 'linters' => sub {
    if (needs(1, 'perlcritic')) {
        my @read = unseen('perlcritic', ['.perlcriticrc'], @programs, @modules);
        my @line = (tool('perlcritic'), qw(--quiet --profile .perlcriticrc), @read);
        my $got = @read ? command({}, @line) : { status => 0, out => q{}, err => q{} };
        is("$got->{status} $got->{out}$got->{err}", '0 ', 'perlcritic')
            and all_well('perlcritic', ['.perlcriticrc'], @read);
    }
    if (needs(1, 'shellcheck')) {
        my @scripts = qw(.ci/run .ci/cached t/platforms/root t/platforms/zig-cache pgms/shells
            pgms/shell-task t/fleet/host fleet/roles/spawnmeter/files/measure.sh);
        my $got = command({}, tool('shellcheck'), @scripts);
        is($got->{out} . $got->{err}, q{}, 'shellcheck');
    }
    ok(1, 'all that are installed have run');
};

subtest 'compilers' => sub {
    my @sources = (
        glob('src/*.c src/harness/*.c src/bench/*.c src/trace/*.c'),
        'src/targets/true.c', 'src/targets/library.c'
    );

    # that for other systems needs what glibc has since 2.34
    my $probe = spew(scratch() . '.c', "#include <unistd.h>\nvoid f(void) { closefrom(3); }\n");
    my $posix = command({}, qw(cc -Werror -fsyntax-only), $probe)->{status} == 0;
    unlink $probe;
    @sources = grep { $posix || !m{/os-posix[.]c\z} } @sources;
    my @flags = qw(-O2 -Wall -Wextra -Wshadow -Werror -D_GNU_SOURCE -Isrc -Ibuild -fsyntax-only);
    my @lines = ([qw(gcc -std=c11)], [qw(clang -std=c2x)]);
    push @lines, [qw(gcc -std=c2x)], [qw(clang -std=c11)] if $ENV{LONG};

    for my $line (grep { needs(1, $_->[0]) } @lines) {
        my ($cc, @standard) = @{$line};
        my @rules = glob 'src/*/*.h build/methods.h';
        my @read = unseen("@{$line} @flags", \@rules, @sources) or next;
        my $got = command({}, tool($cc), @standard, @flags, @read);
        is("$got->{status} $got->{err}", '0 ', "@{$line}: no warning")
            and all_well("@{$line} @flags", \@rules, @read);
    }
SKIP: {
        skip 'this C library has no closefrom()', 1 if !$posix;
        my @line = (qw(cc -Wall -Wextra -Werror -Isrc -fsyntax-only src/harness/os-posix.c));
        is(command({}, @line)->{err}, q{}, 'the parts for other systems compile');
    }
};

subtest 'perl -w has no warning' => sub {
    my @scripts = grep { m{[.](?:t|pm|pl)\z} && !m{/(?:gate|syntax)[.]pl\z} } split /\n/,
        `find t bench -type f`;
    my %read = map { $_ => 1 } @scripts;
    for my $folder (qw(t/unit/Store/Import t/lib/Faults bench)) {
        ok((grep { $read{$_} } glob "$folder/*"), "the files of $folder are read");
    }
    my @all = (@modules, @programs, @scripts);
    my $syntax = 't/lint/syntax.pl';
    my $got = command({}, $^X, qw(-Ilib -It/lib -Ibench -Itools -wc), $syntax, @all);
    is($got->{err}, "$syntax syntax OK\n", 'nor an error');

    # perl reports those that are used only once, but not in a file that it loads
    my @variables = map { slurp_file($_) =~ /[\$\@%]((?:\w+::)+\w+)/g } @all;
    my $known = qr/^(?:FindBin::(?:Real)?Bin|Test::Builder::Level)\z/;
    is_deeply([ grep { !/$known/ } @variables ], [], "no variable of another package but perl's");
};

# Perl 5.14 parses `length ?`, `shift ?` and the like as a ?PATTERN?
my %UNWANTED = (
    'names are exported on demand, and substr changes nothing in place' => {
        'an export that nobody asks for' => qr/\bour \@EXPORT\b/,
        'an assignment to substr'        => qr/\bsubstr\b\s*\(?[^;()]*\)\s*=(?![=~>])/,
    },
    'perl 5.14 can parse it (only linted)' => {
        'an operator without operand before ?' => qr/\b(?:length|shift|pop|lc|uc|defined|ref) \?/,
        'a minus before a constant without ()' => qr{(?<![\w\$"'-])-[A-Z][A-Z_]+\b(?!\()},
        'a postfix dereference'                => qr/->[\@%\$]\*/,
        'say, a signature or another feature'  => qr/^\s*(?:use feature|use v5\.(?:1[6-9]|[23]\d))/,
        'a key/value slice'                    => qr/(?<![\w}])%\w+[\[{](?=[^\]}]*,)/,
        'the /n or /xx flag'                   => qr{\bqr/[^/]*/[a-z]*(?:n|xx)\b},
    },
    'no text from elsewhere can come to a shell, an eval, a format or a file pattern' => {
        'a format that is not constant' => qr/\bs?printf\s*(?:\{[^}]*\}\s*)?\(?\s*[\$\@]/,
        'a command for a shell'         => qr/(?<![+'"\w-])(?:system|exec)(?:\s+|\s*\(\s*)["'\$]
            |\bopen\b[^;]*,\s*["'](?:-\||\|-)["']\s*,/x,
        'an eval of text'                   => qr/\beval\s*\(?\s*["\$]/,
        'a name in a pattern of file names' => qr/\bglob\s*\(?\s*"(?!\\Q)[^"]*\$/,
    },
);
for my $rule (sort keys %UNWANTED) {
    subtest $rule => sub {
        for my $file (@modules, @programs) {
            my $code = slurp_file($file) =~ s/^__END__.*//msr =~ s/^\s*#.*$//mgr;
            my @lines = grep { $rule =~ /only linted/ || !/## no critic/ } split /\n/, $code;
            for my $what (sort keys %{ $UNWANTED{$rule} }) {
                my @found = grep { /$UNWANTED{$rule}{$what}/ } @lines;
                is("@found", q{}, "$file: $what") if @found;
            }
        }
        ok(1, 'every file was read');
    };
}

subtest 'options of the programs' => sub {
    my $catalog = SpawnMeter::Catalog::Tests::load('pgms/tests.list');
    my %own = map { $_ => 1 } qw(help version gate cpu warmup no-latency reference pauses turns
        buffer blocks read write prime);
    for my $program (map { m{([^/]+)[.]c\z} } glob 'src/*.c') {
        my $help = command({}, "pgms/$program", '--help')->{out};
        my %takes = map { $_ => 1 } grep { !$own{$_} } $help =~ /^  --([\w-]+)/mg;
        my @known =
            grep { has_feature($catalog, { program => $program }, option($_)->{feature}) }
            passed_on();
        is_deeply([ sort @known ], [ sort keys %takes ], "tests.list: features of $program");
    }
};

done_testing;
