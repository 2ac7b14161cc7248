# SPDX-License-Identifier: GPL-2.0-or-later
# What holds for every command: its module, the exit status, signals and the environment.
use lib 't/lib';
use TestHelp;
use InProcess;
use SpawnMeter::App;

my $tree = small_tree();

subtest 'the modules of the commands' => sub {
    my $got = in_child(
        {},
        sub {
            SpawnMeter::App::main("$tree", 'list');
            print {*STDERR} map { m{^SpawnMeter/Command/(\w+)[.]pm\z} } sort keys %INC;
            return 0;
        }
    );
    is($got->{err}, 'List', 'list loads its own module only');
};

subtest 'without a command' => sub {
    my $version = run_in($tree, {}, '--version');
    is($version->{out}, 'SpawnMeter ' . slurp_file("$ROOT/VERSION"), '--version');
    says(run_in($tree, {}, "no\e[31m"), qr/\ARun: .*no\\x1b\[31m/, 'an unknown name');
};

subtest 'an output that cannot be written' => sub {
    plan skip_all => 'there is no /dev/full' if !-c '/dev/full';
    says(
        command({}, '/bin/sh', '-c', '"$0" list >/dev/full', "$ROOT/Run"),
        qr/^Run: cannot write the output: No space left/m,
        'the message', 1
    );
};

subtest 'a reader that closed the pipe' => sub {
    my $closed = in_child(
        {},
        sub {
            pipe my $read, my $write  or die;
            close $read               or die;
            open STDOUT, '>&', $write or die;
            return SpawnMeter::App::main("$tree", 'list');
        }
    );
    is_deeply([ @{$closed}{qw(status err)} ], [ 0, q{} ], 'is no failure');
};

subtest 'signals' => sub {
    my $ignored = in_child(
        {},
        sub {
            local $SIG{HUP} = 'IGNORE';
            SpawnMeter::App::set_signals();
            kill 'HUP', $$;
            return 0;
        }
    );
    is($ignored->{status}, 0, 'a signal that nohup ignores stays ignored');
};

subtest 'environment' => sub {
    my $path_for = sub {
        my ($path) = @_;
        return in_child(
            { env => { PATH => $path, BASH_ENV => 'x', MAKEFILES => 'y' } },
            sub {
                SpawnMeter::App::clean_environment();
                print join q{|},
                    map { defined $ENV{$_} ? $ENV{$_} : 'unset' } qw(PATH BASH_ENV MAKEFILES);
                return 0;
            }
        )->{out};
    };
    is($path_for->('/bin:.::bin:/usr/bin'),
        '/bin:/usr/bin|unset|unset', 'PATH keeps its absolute folders only');
    my $standard = SpawnMeter::Util::Programs::PATH();
    is($path_for->('.'), "$standard|unset|unset", 'a PATH without any is the standard one');
};

subtest 'a suite' => sub {
    my $suite_of = sub {
        my ($env, @arguments) = @_;
        local %ENV = (%ENV, %{$env});
        delete @ENV{ grep { /^UB_/ && !exists $env->{$_} } keys %ENV };
        return SpawnMeter::App::suite("$tree", {}, @arguments);
    };
    my $own =
        $suite_of->({ UB_RESULTDIR => q{} }, 'show', 'a b', "it's", "\xc3\xa4", '-c', "\x{1}");
    eval { my $none = $own->{reslts} };
    like($@, qr/disallowed key 'reslts' in a restricted hash/, 'its keys are locked');
    is($own->{results}, "$tree/results", 'its own folders, also where a variable is empty');
    is(
        $own->{command},
        "./Run show 'a b' 'it'\\''s' '\x{e4}' -c '?'",
        'the command as a user types it in a shell'
    );
    my $other = $suite_of->({ UB_RESULTDIR => 'here', UB_BINDIR => '/nowhere' });
    like($other->{results}, qr{\A/.*/here\z}, 'UB_RESULTDIR, made absolute');
    is($other->{sweeps_list}, "$tree/pgms/sweeps.list",
        'a folder of programs without lists: the lists of the suite');
};
done_testing;
