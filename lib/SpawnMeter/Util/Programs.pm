# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Programs;

# What must be installed, and the line that installs it on this system.  Loaded
# before anything else, also by a perl that lacks most of its modules: it uses none.
#
#   install_line(root) -> text;  found(program) -> full path or undef

use strict;
use warnings;

# By ID and ID_LIKE of os-release, or the kernel's name
my %LINE = (
    debian  => 'apt-get install gcc libc6-dev make perl gnuplot-nox',
    fedora  => 'dnf install gcc glibc-static make perl gnuplot',
    rhel    => 'dnf install gcc make perl gnuplot',
    alpine  => 'apk add gcc musl-dev make perl gnuplot',
    arch    => 'pacman -S gcc make perl gnuplot',
    suse    => 'zypper install gcc glibc-devel-static make perl gnuplot',
    freebsd => 'pkg install gmake perl5 gnuplot',
    darwin  => 'xcode-select --install; brew install gnuplot',
);

sub install_line {
    my ($root) = @_;
    my @names = lc $^O;
    if (open my $in, '<', "$root/etc/os-release") {
        while (my $line = <$in>) {
            push @names, map { lc } split q{ }, $1 if $line =~ /^ID(?:_LIKE)?="?([^"\n]*)"?/;
        }
        close $in or return;
    }
    s/^opensuse.*/suse/ for @names;
    for my $name (@names) {
        return $LINE{$name} if $LINE{$name};
    }
    return "install a C compiler, GNU make, perl with its core modules, and gnuplot";
}

# Where programs are looked for when PATH names no place
use constant PATH => '/usr/local/bin:/usr/bin:/bin';

# A path from the root, or in the absolute folders of PATH: nothing is run from where the
# user happens to be
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
