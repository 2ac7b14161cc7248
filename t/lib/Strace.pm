# SPDX-License-Identifier: GPL-2.0-or-later
package Strace;

# What programs call, as strace sees it.
#
#   strace_here(program) -> path of strace; where it is missing, or may not trace this program,
#       the checks of the file or subtest are skipped with the reason
#   calls_each(file for the trace, line) -> { call => number for each creation }, in the program and
#       its children: what 13 creations call more often than 3.  What failed does not count

use strict;
use warnings;
use Exporter   ();
use Test::More ();
use TestHelp;

our @EXPORT = qw(strace_here calls_each);
*import = \&Exporter::import;

sub strace_here {
    my ($program) = @_;
    Test::More::plan(skip_all => 'strace is not installed') if !needs(0, 'strace');
    my $strace = tool('strace');
    my $tried = command({}, $strace, '-f', '-o', '/dev/null', $program, '--count', 2);
    Test::More::plan(skip_all => 'strace may not trace here') if $tried->{status} != 0;
    return $strace;
}

sub calls_each {
    my ($file, @line) = @_;
    my %count;
    for my $creations (3, 13) {
        patiently(300, {}, tool('strace'), qw(-f -qq -o), $file, @line, '--count', $creations);
        for my $line (split /\n/, slurp_file($file)) {

            # what returned; strace splits a call in two if others come between
            my ($call) = $line =~ /^\d+ +(?:<[.]{3} )?(\w+)(?:\(| resumed>).*[)] += \d/ or next;
            $count{$call} += $creations == 3 ? -1 : 1;
        }
    }
    return { map { $_ => $count{$_} / 10 } grep { $count{$_} } keys %count };
}

1;
