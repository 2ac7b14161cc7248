# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Json;

# JSON, by Cpanel::JSON::XS where it is installed (faster), else by JSON::PP of core perl.
#
#   encode(data) -> one line of ASCII with sorted keys
#   decode(text) -> data; dies where the text is not JSON
#   pretty(data) -> indented text
#
# The environment variable SPAWNMETER_PP selects JSON::PP.

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
