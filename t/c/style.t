# SPDX-License-Identifier: GPL-2.0-or-later
# What a reader of the C files relies on: a licence line, lines of at most 100 columns,
# functions of at most 30 lines, and the format that clang-format gives.
use lib 't/lib';
use TestHelp;
use Text::Tabs qw(expand);

chdir $ROOT or die;
my @sources = (glob('src/*.[ch]'), glob('src/*/*.[ch]'), glob('t/*/*.c'));
cmp_ok(scalar @sources, '>', 40, 'the C files are found');

# name -> the number of lines between its braces, for the functions of a text
sub functions {
    my ($text) = @_;
    my (%lines, $before, $start);
    my @lines = split /\n/, $text;
    for my $i (0 .. $#lines) {
        if    ($lines[$i] =~ /^\{/) { $start = $i }
        elsif ($lines[$i] =~ /^\}/ && defined $start) {
            $lines{$before} = $i - $start - 1;
            undef $start;
        } elsif (!defined $start) {
            $before = $1 if $lines[$i] =~ /^\w.*?(\w+)\(/;
        }
    }
    return %lines;
}

my (@unlicensed, @wide, @long);
for my $source (@sources) {
    my $text = slurp_file($source);
    push @unlicensed, $source
        if $text !~ m{\A/\* SPDX-License-Identifier: GPL-2[.]0-or-later \*/\n};
    my $number = 0;
    for my $line (split /\n/, $text) {
        $number++;
        push @wide, "$source:$number" if length(expand($line)) > 100;
    }
    my %lines = functions($text);
    push @long,
        map { "$source: $_ has $lines{$_} lines" } grep { $lines{$_} > 30 } sort keys %lines;
}
is("@unlicensed", q{}, 'each C file begins with its SPDX line');
is("@wide", q{}, 'no line has more than 100 columns');
is("@long", q{}, 'no function has more than 30 lines');
is_deeply(
    { functions("int f(int a,\n\tint b)\n{\n\treturn a;\n}\n") },
    { f => 1 },
    'a function is found'
);

SKIP: {
    skip 'clang-format is missing', 1 if !needs(1, 'clang-format');
    my $version = command({}, tool('clang-format'), '--version')->{out};
    if ($version !~ /version 14[.]/) {
        diag "SKIPPED: clang-format 14 (Debian 12) formats these files, not: $version";
        skip 'another version of clang-format', 1;
    }
    is(command({}, tool('clang-format'), qw(--dry-run -Werror), @sources)->{err},
        q{}, 'clang-format 14 changes nothing');
}
done_testing;
