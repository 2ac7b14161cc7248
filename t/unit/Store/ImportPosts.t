# SPDX-License-Identifier: GPL-2.0-or-later
# Public posts (t/import/posts): nothing of them is lost silently, or invented.  Every figure that
# is read must stand behind its title in the text, and be the one that t/import/posts/FIGURES has,
# which was compared with the posts by eye; RECORD=1 records it.
use lib 't/lib';
use TestHelp;
use Encode ();
use SpawnMeter::Catalog::Baseline;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::Import qw(import_reports);
use SpawnMeter::Store::Shape  qw(problem_of_run);

my $folder = "$ROOT/t/import/posts";
my $catalog = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list");
my $baseline = SpawnMeter::Catalog::Baseline::load("$ROOT/pgms", undef, [])->{baseline};
$_->{baseline} = $baseline->{ $_->{name} } for @{ $catalog->{tests} };
my @posts =
    map { my %post; @post{qw(file form there source)} = split / [|] /; \%post }
    grep { /^[^#\s]/ } split /\n/, slurp_file("$folder/MANIFEST");
my @warnings;
local $SIG{__WARN__} = sub { push @warnings, @_ };

sub figures {
    my ($file, @runs) = @_;
    my @figures;
    for my $i (0 .. $#runs) {
        push @figures, map {
            join '|', $file, $i + 1, $_->{copies}, $_->{title},
                map { defined $_ ? $_ : q{} }
                @{$_}{qw(rate unit baseline index)}
        } @{ $runs[$i]{printed} };
    }
    return @figures;
}

# The text on one line, without quotes, marks and markup
sub flat {
    my ($text) = @_;
    $text =~ s/=\n|=20$//mg if $text =~ /quoted-printable|=20$/m;
    $text =~ s/<[^<>]*>/ /g;
    $text =~ s/^[ >~]+//mg;
    $text =~ s/\s+/ /g;
    return $text;
}

sub stands_behind_title {
    my ($flat, $cell) = @_;
    my $title = join '\s*', map { quotemeta } grep { $_ ne q{ } } split //, $cell->{title};
    my $rate = sprintf '%.1f', $cell->{rate};
    return $flat =~
        /$title(?:[\s|:]*|[\s|:\d.]*[\s|]|[^()]*?\([^()]*?samples\))?(?<![\d.])\Q$rate\E0?(?!\d)/i
        || $flat =~ /$title[\s|]+(?:[\d.]+ (?:lps|lpm|KBps|MWIPS)[\s|]+|[\d.-]+[\s|]+)*\Q$rate\E/i;
}

# In a table: the number, or the index that it was computed from, in a line that names the test
sub stands_in_row {
    my ($text, $cell) = @_;
    my ($title, $name) = map { quotemeta } @{$cell}{qw(title test)};
    my $numbers = join q{|}, map { quotemeta } grep { defined } @{$cell}{qw(rate index)};
    chop $title if $title =~ /maxblocks$/;    # a row of these posts lacks its last letter
    return $text          =~ /^.*(?:$title|-$name-).*?(?<![\d.])(?:$numbers)0?(?![\d]).*$/m;
}

my @all;
for my $post (@posts) {
    my $text = slurp_file("$folder/$post->{file}");
    my $found = import_reports($text, $catalog->{tests});
    my @cells = map { @{ $_->{printed} } } @{ $found->{runs} };
    my @figures = figures($post->{file}, @{ $found->{runs} });
    push @all, @figures;
    my $flat = flat($text);
    my @elsewhere = grep { !stands_behind_title($flat, $_) && !stands_in_row($text, $_) } @cells;
    $post->{elsewhere} = [ map { "$_->{title} $_->{rate}" } @elsewhere ];
    $post->{figures} = \@figures;
    $post->{read} = @cells;
    $post->{unread} = @{ $found->{unread} };
    $post->{problems} = [ grep { defined } map { problem_of_run($_) } @{ $found->{runs} } ];
}
spew("$folder/FIGURES", Encode::encode('UTF-8', join q{}, map { "$_\n" } @all)) if $ENV{RECORD};
my %expected = map { $_ => 1 } split /\n/, Encode::decode('UTF-8', slurp_file("$folder/FIGURES"));

for my $post (@posts) {
    my @wrong = grep { !$expected{$_} } @{ $post->{figures} };
    subtest "$post->{file}: $post->{form}" => sub {
        is_deeply(\@wrong, [], 'every number is right');
        is_deeply($post->{elsewhere}, [], 'every number stands behind its title');
        cmp_ok($post->{read} + $post->{unread}, '>=', $post->{there}, 'nothing is lost silently');
        cmp_ok($post->{read}, '<=', $post->{there}, 'nothing is invented');
        is_deeply($post->{problems}, [], 'its runs are well-formed');
    };
}
cmp_ok(scalar @posts, '>=', 30, 'at least 30 posts');
is(scalar(@all), scalar(keys %expected), 'as many figures as expected');
is_deeply(
    [ sort map { $_->{file} } @posts ],
    [ sort map { m{([^/]+)\z} } glob "\Q$folder\E/*.{txt,md}" ],
    'all posts are in the manifest'
);
is_deeply(\@warnings, [], 'no warning of perl');
done_testing;
