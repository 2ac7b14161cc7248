# SPDX-License-Identifier: GPL-2.0-or-later
# Where programs are searched, what must be installed, and a perl that lacks modules.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::Programs;

my $folder = scratch();

sub found {
    my ($path, $name) = @_;
    local $ENV{PATH} = $path;
    return scalar SpawnMeter::Util::Programs::found($name);
}

subtest 'found' => sub {
    executable("$folder/tool", q{});
    spew("$folder/text", q{});
    chdir "$folder" or die;
    is(found("/nowhere:$folder", 'tool'), "$folder/tool", 'in a folder of PATH');
    is(found('/nowhere', "$folder/tool"), "$folder/tool", 'by its absolute path');
    is(found("$folder", 'text'), undef, 'not a file that is not executable');
    is(found(".::../$folder", 'tool'), undef, 'not in relative folders of PATH');
    chdir $ROOT or die;
};

# The install line of a system with this os-release
sub line_of {
    my ($os_release) = @_;
    my $root = scratch();
    mkdir "$root/etc";
    spew("$root/etc/os-release", $os_release);
    return SpawnMeter::Util::Programs::install_line("$root");
}

subtest 'install_line' => sub {
    like(line_of(qq{NAME="Fedora Linux"\nID=fedora\n}), qr/^dnf install gcc /, 'by ID');
    like(line_of("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"), qr/^apt-get /, 'by ID_LIKE');
    local $^O = 'freebsd';
    like(SpawnMeter::Util::Programs::install_line('/nowhere'), qr/^pkg /, 'by the kernel');
    local $^O = 'plan9';
    like(
        SpawnMeter::Util::Programs::install_line('/nowhere'),
        qr/^install a C compiler/,
        'an unknown system'
    );
};

subtest 'a perl that lacks modules' => sub {
    spew("$folder/Hide.pm", <<'END');
package Hide;
my %hidden = map { $_ => 1 } qw(Digest/SHA.pm Time/HiRes.pm);
unshift @INC, sub { die "hidden\n" if $hidden{ $_[1] }; return };
1;
END
    my $got = command({}, $^X, "-I$folder", '-MHide', "$ROOT/Run", 'list');
    says($got, qr/^Run: this perl lacks core modules: Digest::SHA Time::HiRes\n/, 'they are named');
    like($got->{err}, qr/^    \S+.* /m, 'with what installs them');
};

# Every module that lib/ uses is among those that Run checks
my %used;
for my $file (split /\n/, `find "$ROOT/lib" -name '*.pm'`) {
    $used{$_} = 1 for slurp_file($file) =~ /^\s*(?:use|require) ([A-Z][\w:]+)/mg;
}
delete $used{$_} for grep { /^SpawnMeter::|^Cpanel::/ } keys %used;
my ($checked) = slurp_file("$ROOT/lib/SpawnMeter/Util/Programs.pm") =~ /MODULES = qw\((.*?)\)/s;
my %checked = map { $_ => 1 } split q{ }, $checked;
is_deeply([ grep { !$checked{$_} } sort keys %used ],
    [], 'Run checks for every module that lib/ uses');
done_testing;
