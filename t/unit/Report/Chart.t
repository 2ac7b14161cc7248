# SPDX-License-Identifier: GPL-2.0-or-later
# The pictures of pages: places, contrast by WCAG 2.1 level AA, and XML that a parser takes.
use lib 't/lib';
use TestHelp;
use List::Util                     qw(max min);
use ReportInput                    qw(row);
use SpawnMeter::Report::Chart      qw(curves number_scale rows value_scale);
use SpawnMeter::Report::Explain    qw(parts);
use SpawnMeter::Report::HTML::Page qw(page);
use SpawnMeter::Report::HTML::Pair qw(forest);
use SpawnMeter::Util::Format       qw(duration);

# ---- contrast ----

# Relative luminance and ratio: WCAG 2.1, definitions
sub luminance {
    my ($colour) = @_;
    $colour =~ s/^#(.)(.)(.)\z/#$1$1$2$2$3$3/;
    my @parts = map { hex() / 255 } $colour =~ /^#(..)(..)(..)\z/;
    my ($r, $g, $b) = map { $_ <= 0.03928 ? $_ / 12.92 : (($_ + 0.055) / 1.055)**2.4 } @parts;
    return 0.2126 * $r + 0.7152 * $g + 0.0722 * $b;
}

sub contrast {
    my @two = map { luminance($_) } @_;
    return (max(@two) + 0.05) / (min(@two) + 0.05);
}

subtest 'contrast' => sub {
    my ($css) = page({ title => 't', about => 'd' }) =~ m{<style>(.*?)</style>}s;
    my ($light, $dark) = ({}, {});
    while ($css =~ /(\@media \(prefers-color-scheme:dark\) \{\s*)?:root \{([^}]*)\}/g) {
        my ($into, $rules) = ($1 ? $dark : $light, $2);
        $into->{$1} = $2 while $rules =~ /--(\w+): (#[0-9a-f]+)/g;
    }
    like($css, qr/^[.]chart path \{[^}]*stroke: var\(--k\);/m, 'intervals are drawn');
    is(join(q{ }, sort keys %{$dark}), join(q{ }, sort keys %{$light}), 'dark has all colours');
    for my $mode ([ light => $light ], [ dark => $dark ]) {
        my ($name, $colour) = @{$mode};
        for my $pair (
            map({ [ $_, 'paper' ] } qw(ink soft bad)),
            map({ [ $_, 'panel' ] } qw(ink soft bad)),
            [ 'ink', 'warn' ]
        ) {
            my $ratio = contrast(@{$colour}{ @{$pair} });
            cmp_ok($ratio, '>=', 4.5, "$name: text $pair->[0] on $pair->[1]");
        }
        cmp_ok(contrast(@{$colour}{ $_, 'paper' }), '>=', 3, "$name: graphics $_")
            for map { "k$_" } 0 .. 5;
    }
};

# ---- places ----

my $axis = number_scale(0, 10, sub { "$_[0] u" });
my $bars = rows(
    caption => 'two "bars". More words.',
    scale   => $axis,
    rows    => [
        { head => 'group' },
        { name => '<a>', text => '5 & more', bars => [ [ 0, 5, 'k1' ] ] },
        { name => 'b', text   => '-', value       => 20, hollow => 1, low => -5, high => 2.5 }
    ],
    words   => 'more is better',
    columns => [ 26, 26 ]
);
like($bars, qr{<text x="100%" y="60" class="k0 arrow"}, 'a value beyond the axis is an arrow');
unlike($bars, qr/class="k0 dot/, 'and no dot');
like($bars, qr/class="k1 bar" d="M0 36H500"/, 'a bar');
like($bars, qr/class="k0" d="M0 56H250M250 53v6"/, 'and so does an interval, without a stop there');
like($bars, qr/>&#x3c;a&#x3e;<.*>5 &#x26; more</s, 'texts are no markup');
like($bars, qr/aria-label="two &#x22;bars&#x22;. More words."/, 'what it shows, in words');

my $dots = rows(
    caption => 'Dots.',
    rows    => [
        { name => 'a', text => 1, value => 100, low    => 90, high => 110, behind => [ 10, 1000 ] },
        { name => 'b', text => 2, value => 500, square => 1 }
    ],
    columns => [ 26, 26 ]
);
like($dots, qr/class="dot behind" d="M51 12h0M949 12h0"/, 'grey dots stand within the axis');
like($dots, qr{>100</text>}, 'whose ticks lie between');
unlike($dots, qr/arrow/, 'and no range is cut');
like($dots, qr/class="k0 dot square"/, 'what was published is a square');
my %cut = (name => 'a', text => 1, value => 50, low => -200, high => 90);
my %form = (caption => 'c', columns => [ 26, 26 ]);
my $cut = rows(%form, scale => number_scale(-100, 100), rows => [ \%cut ]);
is(join(q{ }, $cut =~ /<text x="(\d+%?)" y="16" class="k0 arrow"/g), '0', 'one that is: an arrow');
is(rows(%form, rows => [ { head => 'h' } ]), q{}, 'no values: no picture');

sub labels {
    return join q{ }, map { $_->[1] } @{ $_[0]{ticks} };
}
is(labels(value_scale(\&duration, 40, 9000)), '100us 1ms 10ms',
    'a logarithmic axis: powers of ten');
is(labels(value_scale(\&duration, 40, 200)), '50us 100us 200us', 'a short one has more ticks');
is(labels(value_scale(\&duration, 40, 50)), '40us 45us 50us', 'a linear one');
is(labels(value_scale(\&duration, 0, 500)), '0us 200us 400us', 'which may begin at 0');

my $log = { low => 1, high => 1000, log => 1, ticks => [ [ 10, 'ten' ] ] };
my @points = map { { x => $_, y => $_ } } 1, 10, 1000;
my @series =
    map { { name => "end $_", ink => 0, points => \@points } } 1, 2;
my %axes = (x => $log, y => $log, words => 'x', above => 'y', height => 90);
my $lines = curves(caption => 'A line.', %axes, series => \@series);
my @names = $lines =~ /<text x="103[.]5%" y="([\d.]+)">end/g;
cmp_ok(abs($names[0] - $names[1]), '>=', 13, 'names at one place are moved apart');

# ---- XML ----

my %pictures = (
    bars   => $bars,
    lines  => $lines,
    forest => forest('c', 'w', row(), row(test => q{"'<>&}, verdict => 'unclear')),
    parts  => parts({
        parts => [
            [ one => { words => 'create', us => 62 }, { words => 'exec', us => 75 } ],
            [ two => { words => 'all', us    => 99 } ]
        ]
    }),
);
like($pictures{parts}, qr/>one<.*>two</s, 'two timelines, one above the other');
unlike($pictures{parts}, qr/ bar" d="M(\d+) \d+H\1"/, 'in which each part has its length');
if (needs(1, 'python3')) {
    my $folder = scratch();
    for my $name (sort keys %pictures) {
        my ($svg) = $pictures{$name} =~ m{(<svg.*</svg>)}s;
        spew("$folder/$name.svg", $svg);
    }
    my $parse = 'import glob, sys, xml.dom.minidom as m; '
        . '[m.parse(p) for p in glob.glob(glob.escape(sys.argv[1]) + "/*.svg")]';
    my $got = command({}, 'python3', '-c', $parse, "$folder");
    is("$got->{status} $got->{err}", '0 ', 'a parser of XML takes them all');
}

done_testing;
