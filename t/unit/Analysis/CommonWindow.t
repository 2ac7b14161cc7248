# SPDX-License-Identifier: GPL-2.0-or-later
# What several copies made in the time in which all of them ran.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::ProgramOutput qw(common_window);

sub near { my ($got, $want, $name) = @_; return cmp_ok(abs($got - $want), '<', 1e-6, $name) }

# A copy that starts at this time; steps => "us:made,us:made"
sub copy {
    my ($gate, $steps, %with) = @_;
    my ($us, $made) = (0, 0);
    for my $step (split /,/, $steps) {
        my ($more, $number) = split /:/, $step;
        $us   += $more;
        $made += $number;
    }
    return {
        gate     => $gate,
        time     => $us / 1e6,
        count    => $made,
        timebase => 1,
        progress => $steps,
        %with
    };
}

subtest 'two copies that start at once' => sub {
    my $window = common_window([ map { copy(5, '500000:50,500000:50') } 1, 2 ]);
    near($window->{length}, 1, 'the window is the whole time');
    near($window->{made}, 200, 'all is in it');
    near($window->{total}, 200, 'as much as in all');
    near($window->{spread}, 0, 'no spread');
};

subtest 'one starts later, and the first is faster until then' => sub {
    my $window =
        common_window([ copy(5, '500000:100,500000:50'), copy(5.5, '500000:50,500000:100') ]);
    near($window->{length}, 0.5, 'the window is from the last start to the first end');
    near($window->{made}, 100, 'only what was made in it');
    near($window->{spread}, 0.5, 'the spread of the starts');
    near($window->{outer}, 1.5, 'from the first start to the last end');
    near($window->{total}, 300, 'what was made in these');
};

subtest 'within a step a copy is steady' => sub {
    my $window = common_window([ copy(5, '1000000:100'), copy(5.25, '1000000:100') ]);
    near($window->{made}, 150, 'three quarters of each');
    my $plain = common_window(
        [ map { { %{$_}, progress => undef } } copy(5, '1000000:100'), copy(5.25, '1000000:100') ]);
    near($plain->{made}, 150, 'a copy without progress is steady from start to end');
};

subtest 'copies that never ran at once' => sub {
    my $window = common_window([ copy(5, '1000000:100'), copy(7, '1000000:100') ]);
    near($window->{length}, -1, 'the length is negative');
    is($window->{made}, undef, 'nothing was made in it');
    near($window->{outer}, 3, 'from the first start to the last end');
};

subtest 'a test whose count is an amount per second' => sub {
    my %file = (timebase => 0, count => 3000, iterations => 1000);    # 3 KB each
    my $window = common_window(
        [ copy(5, '500000:500,500000:500', %file), copy(5.5, '500000:500,500000:500', %file) ]);
    near($window->{made}, 3000, 'the amount');
};

subtest 'a copy that does not say when it started' => sub {
    is(common_window([ copy(5, '1:1'), { count => 1, time => 1, timebase => 1 } ]),
        undef, 'no window');
};
done_testing;
