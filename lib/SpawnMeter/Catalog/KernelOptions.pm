# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::KernelOptions;

# Options of a kernel's configuration that change what a creation executes: kernel-options.list.
#
#   different(file, { option => value } of a kernel, the same of another) -> (names of those of the
#       list that differ, in its order)
#   families(file) -> [ [name, pattern of names] ]: kernel-functions.list

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::File qw(each_line named_fields);

our @EXPORT_OK = qw(different);

my @FIELDS = ([ option => qr/^[A-Z\d_*]+\z/, 'an option, or its letters and *' ], ['reason']);

sub different {
    my ($file, $one, $other) = @_;
    my %all = (%{$one}, %{$other});
    my @different = grep { ($one->{$_} // q{}) ne ($other->{$_} // q{}) } sort keys %all;
    my (%seen, @concerned);
    my $take = sub {
        my $entry = named_fields(\@FIELDS, @_[ 1 .. $#_ ]);
        my $like = join '.*', map { quotemeta } split /[*]/, $entry->{option}, -1;
        push @concerned, grep { /^$like\z/ && !$seen{$_}++ } @different;
    };
    each_line($file, $take);
    return @concerned;
}

sub families {
    my ($file) = @_;
    my @families;
    my $take = sub {
        my $entry = named_fields([ ['family'], ['patterns'] ], @_[ 1 .. $#_ ]);
        my $any = join q{|}, split q{ }, $entry->{patterns};
        push @families, [ $entry->{family}, qr/^(?:$any)/ ];
    };
    each_line($file, $take);
    return \@families;
}

1;
