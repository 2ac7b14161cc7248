# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::KernelOptions;

# What is known of kernels: options of their configurations that change what a creation executes
# (kernel-options.list), and families of their functions (kernel-functions.list).
#
#   different(file, { option => value } of a kernel, the same of others) -> names of those of the
#       list that differ from the first, in its order
#   families(file) -> [ [name, pattern of names] ]

use strict;
use warnings;
use SpawnMeter::Util::File qw(each_line);

sub different {
    my ($file, $first, @others) = @_;
    my (%differs, @listed);
    for my $other (@others) {
        my @all = (keys %{$first}, keys %{$other});
        $differs{$_} = 1 for grep { ($first->{$_} // q{}) ne ($other->{$_} // q{}) } @all;
    }
    my $take = sub {
        my $like = $_[1] =~ s/[*]/.*/gr;
        push @listed, grep { /^$like\z/ && delete $differs{$_} } sort keys %differs;
    };
    each_line($file, $take);
    return @listed;
}

sub families {
    my ($file) = @_;
    my @families;
    my $take = sub {
        my (undef, $name, $patterns) = @_;
        my $any = join q{|}, split q{ }, $patterns;
        push @families, [ $name, qr/^(?:$any)/ ];
    };
    each_line($file, $take);
    return \@families;
}

1;
