# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Histogram qw(merge_histograms histogram_quantiles);

subtest 'merged' => sub {
    is_deeply(
        merge_histograms('100:5,,3;200:1', '101:4;102:1'),
        { 100 => 5, 101 => 4, 102 => 4, 200 => 1 },
        'counts of a bucket are added up, and empty ones left out'
    );
    is_deeply(merge_histograms(), {}, 'none');
    is_deeply(merge_histograms(q{}), {}, 'an empty one');
};

# Buckets are 1 ns up to 64, then 64 for each power of two (src/harness/histogram.h)
subtest 'quantiles in microseconds' => sub {
    my %middle = (
        0   => 0,
        63  => 0.063,
        64  => 0.064,
        127 => 0.127,
        128 => 0.129,
        192 => 0.258,
        700 => 63.744
    );
    for my $bucket (sort { $a <=> $b } keys %middle) {
        is_deeply(
            [ histogram_quantiles({ $bucket => 1 }, 0.5) ],
            [ $middle{$bucket} ],
            "the middle of bucket $bucket"
        );
    }
    my $hundred = { map { $_ => 10 } 1 .. 10 };
    is_deeply(
        [ histogram_quantiles($hundred, 0.1, 0.11, 0.5, 0.9, 0.999) ],
        [ 0.001, 0.002, 0.005, 0.009, 0.010 ],
        'of a hundred values in ten buckets'
    );
    is_deeply(
        [ histogram_quantiles({ 5 => 1, 50 => 1 }, 0.5, 0.99) ],
        [ 0.005, 0.050 ],
        'buckets in the order of their numbers'
    );
    is_deeply([ histogram_quantiles({}, 0.5) ], [], 'of nothing');
};
done_testing;
