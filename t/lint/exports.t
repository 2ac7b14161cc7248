# SPDX-License-Identifier: GPL-2.0-or-later
# What a module exports another file uses, and what a file imports it uses.
use lib 't/lib';
use TestHelp;

chdir $ROOT or die;
my @modules = split /\n/, `find lib -name '*.pm'`;
my @users = (
    @modules, 'Run', grep { !/[.]md\z/ } glob('tools/*'),
    split /\n/, `find bench t -name '*.pl' -o -name '*.pm' -o -name '*.t'`
);
my %code = map { $_ => slurp_file($_) =~ s/^__(?:END|DATA)__.*//msr =~ s/^\s*#.*$//mgr } @users;

# -> { module => { name } } that the file imports, with the code that is left
sub imports {
    my ($code) = @_;
    my %imported;
    while ($code =~ s/^\s*use (SpawnMeter::[\w:]+)\s+qw\(([^)]*)\);//m) {
        my ($module, $names) = ($1, $2);
        $imported{$module}{$_} = 1 for split q{ }, $names;
    }
    return (\%imported, $code);
}

my (%used, @idle);
for my $file (sort keys %code) {
    my ($imported, $rest) = imports($code{$file});
    for my $module (sort keys %{$imported}) {
        for my $name (sort keys %{ $imported->{$module} }) {
            $used{$module}{$name} = 1;
            push @idle, "$file: $name" if $rest !~ /\b\Q$name\E\b/;
        }
    }
    $used{$1}{$2} = 1 while $rest =~ /\b(SpawnMeter::[\w:]+)::(\w+)\b/g;
}
is(join("\n", @idle), q{}, 'what is imported is used');

my ($exported, @unused) = 0;
for my $file (sort @modules) {
    my $module = $file =~ s{^lib/}{}r =~ s{/}{::}gr =~ s/[.]pm\z//r;
    my ($names) = $code{$file} =~ /^our \@EXPORT_OK =\s*qw\(([^)]*)\)/m or next;
    $exported += my @names = split q{ }, $names;
    push @unused, map { "$module: $_" } grep { !$used{$module}{$_} } @names;
}
cmp_ok($exported, '>', 200, 'the names are found');
is(join("\n", @unused), q{}, 'what is exported is used');
done_testing;
