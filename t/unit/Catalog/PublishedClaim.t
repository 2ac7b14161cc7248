# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use File::Temp                            ();
use SpawnMeter::Catalog::Published::Claim qw(condition points amount);
use SpawnMeter::Catalog::Published::File  qw(read_file);

my @warnings;
local $SIG{__WARN__} = sub { push @warnings, @_ };

subtest 'conditions' => sub {
    my $found = condition('time(fork, 1G) - time(fork, 0) within 20 % of 9.5 ms');
    is_deeply([ @{$found}{qw(relation tolerance)} ], [ 'within', 0.2 ], 'within');
    is($found->{right}{value}, 9500, 'times are microseconds');
    is_deeply(
        [ map { "$_->{measure} $_->{series} $_->{label}" } @{ points($found) } ],
        [ 'time fork 1G', 'time fork 0' ],
        'its points'
    );
    my $ratio = condition('2*rate(fork --hugepages, cpus)/rate(fork,1)>3 by 0%');
    is_deeply([ @{$ratio}{qw(relation tolerance)} ], [ '>', 0 ], 'blanks do not matter');
    is($ratio->{left}{time}, 0, 'a ratio has no dimension');
    my $tree = condition('time(a, 1) - time(a, 2) - time(a, 3) < 1 s by 0 %')->{left};
    is($tree->{right}{label}, 3, 'a difference is taken from the left');
};

subtest 'conditions that are malformed' => sub {
    my %expected = (
        q{}                                    => qr/expected a number or a point .*the end/,
        'time(fork, 1)'                        => qr/expected an operator.*found the end/,
        'time(fork 1) > 1 s by 1 %'            => qr/expected a test, a comma, .*found 'fork'/,
        'size(fork, 1) > 1 by 1 %'             => qr/a point .*, found 'size\(fork,'/,
        'time(fork, 1) > 1 s'                  => qr/expected 'by', found the end/,
        'time(fork, 1) > 1 s by 10'            => qr/expected a percentage .*found '10'/,
        'time(fork, 1) > 1 s by 101 %'         => qr/expected a percentage/,
        'time(fork, 1) within 5 % to 1 s'      => qr/expected 'of', found 'to'/,
        'time(fork, 1) > 2 by 1 %'             => qr/same dimension.*a time and a number/,
        'time(fork, 1) + 1 > 2 s by 1 %'       => qr/sum of equal dimensions/,
        'time(fork, 1) > rate(fork, 1) by 1 %' => qr/same dimension.*a time and a rate/,
        '1 s > time(fork, 1) by 1 %'           => qr/expected a measured point on the left/,
        'time(fork, 1) / 0 > 1 s by 1 %'       => qr/expected a divisor above 0/,
        'time(fork, 1) > 1 s by 1 % and more'  => qr/expected the end, found 'and'/,
        '(time(fork, 1) > 1 s by 1 %'          => qr/expected '\)', found '>'/,
        'system("touch x")'                    => qr/expected a number or a point/,
        'time(fork, 1) ** 2 > 1 s by 1 %'      => qr/a number or a point .*found '\*'/,
        ('(' x 100) . 'time(a, b)'             => qr/at most 20 parentheses/,
        '@{[ die ]} > 1 by 1 %'                => qr/expected a number or a point/,
        'time($x, `id`) / time(b, ${x}) >'     => qr/expected a number .*found the end/,
    );
    for my $text (sort keys %expected) {
        ok(!eval { condition($text); 1 }, "'$text' is refused");
        like($@, $expected{$text}, "'$text': what was expected");
    }
};

# Whatever stands there: a tree, or one line that begins with "expected"
subtest 'random conditions' => sub {
    my @pieces = (
        'time(fork, 1G)',
        'rate(a,b)', qw(time ( ) + - * / > < within by of 10 % 3 ms s 0 1.5),
        q{,}, '$x', '`id`', "\\", '"', '1e9', q{ }, 'cpu(', '|', ';', "\xe9", '@{', '{'
    );
    my $state = 7;
    my $below = sub {
        $state = ($state * 1_103_515_245 + 12_345) % 2**31;
        return int $state / 2**31 * $_[0];
    };
    my ($good, $other) = (0, 0);
    for (1 .. 3000) {
        my $text = join $below->(2) ? q{ } : q{},
            map { $pieces[ $below->(scalar @pieces) ] } 0 .. $below->(12);
        if (eval { condition($text); 1 }) {
            $good++;
        } elsif ($@ !~ /\Aexpected [^\n]+, found [^\n]+\n\z/) {
            $other++;
            diag "$text: $@";
        }
    }
    is($other, 0, 'each is a tree or says what was expected');
};

subtest 'amounts' => sub {
    my %us = ('1.5 ms' => 1500, '14500 ns' => 14.5, '4 s/10000' => 400, '7us' => 7);
    is_deeply({ map { $_ => amount($_)->{us} } keys %us }, \%us, 'times of one creation');
    is(amount('411.04 /s')->{rate}, 411.04, 'a rate');
    is_deeply([ grep { amount($_) } '5', 's', '1 h', '1 s/0', '-1 s', '1e3 s', q{} ],
        [], 'what is none');
};

# ---- files ----------------------------------------------------------------------------
my $folder = File::Temp->newdir;
my $valid = <<'END';
title  T
source S
address https://example.org/x
axis   a
machine m | a machine
measure fork vfork | --heap VALUE | 0 1G
figure m | fork | 1G | 9 ms
claim  C
  if   time(fork, 1G) > time(fork, 0) by 10 %
END

sub problem_of {
    my ($text) = @_;
    spew("$folder/x.txt", $text);
    return eval { read_file("$folder/x.txt"); 1 } ? 'valid' : $@;
}

subtest 'files' => sub {
    is(problem_of($valid), 'valid', 'a valid one') or diag $@;
    is(problem_of($valid =~ s/9 ms/0.03 ms/r), 'valid', 'an amount below 1');
    for my $case (
        [ 's/^title.*\n//'               => 1, qr/expected a line 'title', found none/ ],
        [ 's/^title/titel/'              => 1, qr/expected one of .*title.*, found 'titel'/ ],
        [ 's/https:/ftp:/'               => 3, qr/expected an address such as/ ],
        [ 's/figure m/figure n/'         => 7, qr/expected a machine .*, found 'n'/ ],
        [ 's/9 ms/9 parsecs/'            => 7, qr/expected an amount .*found '9 parsecs'/ ],
        [ 's/9 ms/0.00 ms/'              => 7, qr/expected an amount above 0 .*found '0.00 ms'/ ],
        [ 's/ [|] 1G [|] 9 ms/ | 9 ms/'  => 7, qr/expected MACHINE .*, found 3 fields/ ],
        [ 's/[(]fork, 0[)]/(fork, 2G)/'  => 9, qr/expected a point .*\(fork, 2G\)/ ],
        [ 's/ by 10 %//'                 => 9, qr/expected 'by', found the end/ ],
        [ 's/^  if.*\n//m'               => 8, qr/expected a line 'if' or 'lacks' below/ ],
        [ 's/^claim.*\n//m'              => 8, qr/expected a claim above/ ],
        [ 's/^axis.*$/passes 0/m'        => 4, qr/expected a whole number from 1/ ],
        [ 's/^axis.*$/needs cpus many/m' => 4, qr/expected a number of CPUs after 'cpus'/ ],
        [ 's/^axis.*$/quantity wit/m'    => 4, qr/expected one of .*creating.*found 'wit'/ ],
        [ 's/^axis.*$/form fancy/m'      => 4, qr/expected one of .*tlpi, found 'fancy'/ ],
        [ "s/T\$/T\e[1m/m"               => 1, qr/expected printable .*control character/ ],
    ) {
        my ($change, $line, $message) = @{$case};
        my ($from, $to) = $change =~ m{^s/(.*?[^\\])/(.*)/m?\z}s;
        my $text = $valid;
        $to   =~ s/\\n/\n/g;
        $text =~ s/$from/$to/m;
        like(problem_of($text), qr{/x[.]txt, line $line: $message}, "$change: file, line, message");
    }
    like(eval { read_file("$folder/none.txt") } || $@, qr{none\.txt: No such file}, 'no file');
    like(problem_of(q{}), qr/line 1: expected a line 'title'/, 'an empty file');
};
is_deeply(\@warnings, [], 'no warnings');
done_testing;
