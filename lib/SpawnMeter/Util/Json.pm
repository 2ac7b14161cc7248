# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Json;

# JSON by the fastest module that is there: Cpanel::JSON::XS, else core's
# JSON::PP.  encode(data) -> one line of ASCII, keys sorted; decode(text) -> data,
# or dies; pretty(data) -> text for people.

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(encode decode pretty);

my $CLASS =
    (!$ENV{SPAWNMETER_PP} && eval { require Cpanel::JSON::XS; 1 })
    ? 'Cpanel::JSON::XS'
    : do { require JSON::PP; 'JSON::PP' };
my $coder = $CLASS->new->ascii->canonical->max_depth(32);

sub encode { return $coder->encode($_[0]) }
sub decode { return $coder->decode($_[0]) }
sub pretty { return $CLASS->new->ascii->canonical->pretty->encode($_[0]) }

1;
