# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Programs;

# The packages, core modules and programs that must be installed.  Run loads this module
# before all others, also with a perl that lacks most of its modules, so it uses none.
#
#   install_line(root folder) -> the command that installs what Run needs on this system
#   missing_modules() -> the names of the core modules that Run uses and this perl lacks
#   found(program) -> full path, or undef

use strict;
use warnings;

# Where programs are searched if PATH has no absolute folder
use constant PATH => '/usr/local/bin:/usr/bin:/bin';

# By ID and ID_LIKE of os-release, or the kernel's name.  README, docs/platforms.md and .ci/run
# name the packages of Debian, too
my %LINE = (
    debian  => 'apt-get update && apt-get install --no-install-recommends gcc libc6-dev make perl',
    fedora  => 'dnf install gcc glibc-static make perl',
    rhel    => 'dnf install gcc make perl',
    alpine  => 'apk add gcc musl-dev make perl',
    arch    => 'pacman -S gcc make perl',
    suse    => 'zypper install gcc glibc-devel-static make perl',
    freebsd => 'pkg install gmake perl5',
    darwin  => 'xcode-select --install',
);

# Some systems install perl without all of its core modules
my @MODULES = qw(Config Cwd Digest::SHA Encode Errno Exporter Fcntl File::Basename File::Copy
    File::Path File::Spec File::Temp Getopt::Long Hash::Util IO::Handle
    IO::Uncompress::Gunzip JSON::PP List::Util MIME::QuotedPrint POSIX Pod::Text Scalar::Util
    Text::ParseWords Time::HiRes);

# Looked for and not loaded, which takes half of the time of ./Run --version; but where a hook of
# @INC may provide or hide them
sub missing_modules {
    my $hooked = grep { ref } @INC;
    my @missing;
    for my $module (@MODULES) {
        my $file = $module =~ s{::}{/}gr . '.pm';
        my $is_installed =
            $hooked ? eval { require $file } : $INC{$file} || grep { -e "$_/$file" } @INC;
        push @missing, $module if !$is_installed;
    }
    return @missing;
}

sub install_line {
    my ($root) = @_;
    my @names = lc $^O;
    if (open my $in, '<', "$root/etc/os-release") {
        while (my $line = <$in>) {
            push @names, map { lc } split q{ }, $1 if $line =~ /^ID(?:_LIKE)?="?([^"\n]*)"?/;
        }
        close $in or return;
    }
    my ($line) = grep { defined } @LINE{@names};
    return $line // 'install a C compiler, GNU make, and perl with its core modules';
}

# An absolute path, or a name that is searched in the absolute folders of PATH: nothing is run
# from the current folder
sub found {
    my ($program) = @_;
    return -x $program && !-d _ ? $program : () if $program =~ m{^/};
    for my $folder (split /:/, $ENV{PATH} || PATH) {
        next if $folder !~ m{^/};
        return "$folder/$program" if -x "$folder/$program" && !-d _;
    }
    return;
}

1;
