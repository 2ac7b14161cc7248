# SPDX-License-Identifier: GPL-2.0-or-later
# Compiles all files that are named, in one process and with all warnings, and runs none of them:
# prints what perl says of each, and the last line is this file's own "syntax OK".
#
# usage: perl -wc -Ilib ... syntax.pl FILE...     a file of a folder in @INC is loaded as a module
use strict;
use warnings;

our $scripts = 0;

sub compiled {
    my ($path) = @_;
    for my $folder (@INC) {
        return require $1 if $path =~ m{\A\Q$folder\E/(.+[.]pm)\z};
    }
    open my $in, '<', $path or die "$!\n";
    my $code = do { local $/ = undef; <$in> };
    close $in or die "$!\n";
    $scripts++;

    # It returns before its first statement, and each script has a package of its own
    eval "package Script$scripts; return 1;\n#line 1 \"$path\"\n$code" or die $@;    ## no critic
    return;
}

# Names that are used only once are reported after BEGIN
BEGIN {
    for my $path (@ARGV) {
        eval { compiled($path); 1 } or warn "$path: $@";
    }
}
