# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Many::Address;

# linked(text, path relative to the page, or undef) -> HTML: the text, as a link where there is
# a path.  Whatever the path contains, the link is to a file.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Report::Escape qw(html);

our @EXPORT_OK = qw(linked);

sub linked {
    my ($text, $path) = @_;
    return html($text) if !defined $path;
    utf8::encode($path) if utf8::is_utf8($path);
    $path =~ s{([^A-Za-z0-9._~/-])}{sprintf '%%%02X', ord $1}ge;

    # a name such as javascript:x is no scheme after a slash, and //x is no other machine
    $path =~ s{\A/+}{/};
    $path = "./$path" if $path !~ m{\A[./]};
    return qq{<a href="$path">} . html($text) . '</a>';
}

1;
