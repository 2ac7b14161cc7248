# SPDX-License-Identifier: GPL-2.0-or-later
package FakeSystem;

# perl -It/lib -MFakeSystem Run ...: $^O and uname() are those of FreeBSD.  With the POSIX build
# of the programs, and without /proc and /sys, Linux is a system that has only what POSIX has.

use strict;
use warnings;
use POSIX ();

BEGIN {
    $^O = 'freebsd';
    no warnings 'redefine';
    *POSIX::uname =
        sub { return ('FreeBSD', 'host', '14.1-RELEASE', 'FreeBSD 14.1-RELEASE GENERIC', 'amd64') };
}

1;
