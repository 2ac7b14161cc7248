# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Store::ResultFiles qw(open_results check forget finish write_file);
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File qw(decode);

my $scratch = scratch();

sub folder {
    my ($name) = @_;
    mkdir "$scratch/$name" or die "$scratch/$name: $!";
    return "$scratch/$name";
}

sub names {
    my ($folder) = @_;
    return [ map { m{([^/]+)\z} } sort glob "\Q$folder\E/*" ];
}

sub error_of {
    my ($code) = @_;
    return eval { $code->(); 1 } ? 'no error' : $@;
}

subtest 'names without a choice of the user' => sub {
    my $folder = folder('free');
    my @results = map { open_results($folder, undef, '-my host;$(x)') } 1 .. 2;
    like($results[0]{name}, qr/\Amy_host___x_-\d{4}-\d\d-\d\d-01\z/, 'HOST-YYYY-MM-DD-01');
    isnt($results[0]{name}, $results[1]{name}, 'a second run at the same time');
    is(open_results($folder, undef, $_)->{name} =~ s/-\d{4}-.*//sr, 'unknown', "host '$_'")
        for q{}, '..-';
    forget($_) for @results;
    my $next = open_results($folder, undef, '-my host;$(x)');
    is($next->{name}, $results[0]{name}, 'the name of a forgotten run is free again');
    forget($next);
    symlink '/nonexistent', "$next->{path}.json" or die $!;
    my $after = open_results($folder, undef, '-my host;$(x)');
    isnt($after->{name}, $next->{name}, 'a dangling link takes its name');
};

subtest 'a name that the user chose' => sub {
    my $folder = folder('named');
    spew("$folder/named$_", 'old') for qw(.json .csv .html);
    forget(open_results($folder, 'named', 'h'));
    is_deeply(
        names($folder),
        [qw(named.csv named.html named.json)],
        'older files stay where nothing was measured'
    );
    my $results = open_results($folder, 'named', 'h');
    check($results);
    is_deeply(names($folder), [qw(named.log named.part)], 'they are removed once a run begins');
    $results->{journal}->append(@{$_}) for [ pass => { b => 2 } ], [ pass => { c => 3 } ];
    finish($results, [ { a => 1 } ], { d => 4 });
    is_deeply(names($folder), [qw(named.json named.log)], 'finished: the journal is the run file');
    is_deeply(
        decode(slurp_file("$folder/named.json")),
        [
            { pass    => { b => 2 } },
            { pass    => { c => 3 } },
            { results => [ { a => 1 } ] },
            { listed  => { d => 4 } }
        ],
        'which is JSON, closed by what a list says of the run'
    );
    my %bad = (
        'a path'     => '../x',
        'a line end' => "a\nb",
        'too long'   => 'x' x 241,
    );
    like(
        error_of(sub { open_results($folder, $_, 'h') }),
        qr/'\Q$_\E' must be a name .* not latest/,
        "refused: $_"
    ) for qw(named.json b.html b.log b.part b.tidy latest latest~1 -x);

    for my $what (sort keys %bad) {
        like(
            error_of(sub { open_results($folder, $bad{$what}, 'h') }),
            qr/\AUB_OUTPUT_FILE_NAME: .* without a slash/s,
            "refused: $what"
        );
    }
};

subtest 'planted links' => sub {
    my $folder = folder('planted');
    my $victim = spew("$scratch/victim", 'mine');
    my @endings = (q{}, qw(.log .part .json .html));
    my $plant = sub { symlink $_[0] =~ /log\z/ ? $victim : "$scratch/new", $_[0] or die $! };
    $plant->("$folder/named$_") for @endings;
    my $results = open_results($folder, 'named', 'h');
    check($results);
    $results->{journal}->append(pass => { b => 2 });
    finish($results, undef, {});
    write_file("$folder/named.html", 'page');
    is_deeply([ grep { -l "$folder/named$_" } qw(.log .json .html) ], [], 'are replaced');

    for my $ending (@endings) {
        my $next = open_results($folder, undef, 'h');
        forget($next);
        $plant->("$next->{path}$ending");
        my $after = open_results($folder, undef, 'h');
        $after->{journal}->append(pass => { b => 2 });
        finish($after, undef, {});
        ok(!-l "$after->{path}.json", "at the next free name, '$ending'");
    }
    ok(slurp_file($victim) eq 'mine' && !-e "$scratch/new",
        'nothing is written where they lead to');
};

# What is in the folder is another run's; this run gets another name
subtest 'names that are taken in mid-run' => sub {
    my $ends = sub {
        my ($what, $meanwhile) = @_;
        my $folder = folder("ends-$what");
        my $results = open_results($folder, undef, 'h');
        my $was = $results->{name};
        check($results);
        $results->{journal}->append(run => { name => $was });
        $meanwhile->($folder, $was);
        finish($results, undef, {});
        my $read = decode(slurp_file("$results->{path}.json"));
        is($read->[0]{run}{name}, $results->{name}, 'by its name');
        is_deeply([ grep { /part\z/ } @{ names($folder) } ], [], 'no journal is left');
        return ($folder, $was, $results->{name});
    };
    my $moves = sub { rename $_[0], "$_[0]-away" or die $! };
    my ($folder, $was, $is) = $ends->(moved => $moves);
    is($is, $was, 'which is free');
    for my $ending (qw(.json .html)) {
        ($folder, $was, $is) = $ends->("a-file$ending", sub { spew("$_[0]/$_[1]$ending", 'mine') });
        isnt($is, $was, 'which is another');
        is(slurp_file("$folder/$was$ending"), 'mine', 'the file stays');
    }
    my $other;
    ($folder, $was, $is) = $ends->(
        replaced => sub {
            $moves->(@_);
            $other = open_results($_[0], undef, 'h');
            $other->{journal}->append(run => {});
            finish($other, undef, {});
        }
    );
    is($other->{name}, $was, 'another run has the first one');
    isnt($is, $was, 'which it keeps');
    my $error = error_of(sub {
        $ends->(linked => sub { $moves->(@_); symlink folder('planted-here'), $_[0] or die $! });
    });
    like($error, qr/has become a link, which is not followed$/, 'a link in place of the folder');
    is_deeply(names("$scratch/planted-here"), [], 'nothing is written there');
};

subtest 'failures' => sub {
    my $folder = folder('failures');
    spew("$folder/file", q{});
    like(
        error_of(sub { open_results("$folder/file", undef, 'h') }),
        qr/\Acannot write results to .*; name another folder with --output or UB_RESULTDIR\n\z/,
        'a file is not a folder'
    );
    my $results = open_results($folder, 'full', 'h');
    $results->{journal}{failed} = 'No space left on device';
    is(
        error_of(sub { check($results) }),
        "cannot write results to $folder: No space left on device;"
            . " name another folder with --output or UB_RESULTDIR\n",
        'the journal could not be written'
    );
    is_deeply(names($folder), ['file'], 'the files of that run are removed');
    mkdir "$folder/there.json" or die $!;
    like(
        error_of(sub { write_file("$folder/there.json", 'x') }),
        qr{\Acannot write \Q$folder\E/there[.]json: },
        'a file that cannot be replaced'
    );
    is_deeply(names($folder), [qw(file there.json)], 'its new version is removed');
};

# ---- the journal ----

my $folder = scratch();
my $path = "$folder/run.part";

sub lines { return split /^/m, slurp_file($path) }

sub entries {
    return map {
        my ($kind, $data) = %{ decode(s/\A\[|,\n\z//gr) };
        { kind => $kind, data => $data }
    } lines();
}

my @ENTRIES = (
    { kind => 'run', data   => { host => "a\nb" } },
    { kind => 'pass', data  => { rate => 1.5 } },
    { kind => 'ended', data => 7 },
);

subtest 'lines are written at once and read again' => sub {
    my $journal = SpawnMeter::Store::ResultFiles->create($path);
    for my $i (0 .. $#ENTRIES) {
        $journal->append(@{ $ENTRIES[$i] }{qw(kind data)});
        is_deeply([ entries() ], [ @ENTRIES[ 0 .. $i ] ], 'entries: ' . ($i + 1));
    }
    is(SpawnMeter::Store::ResultFiles->create($path), undef, 'an existing file is not replaced');
    rename $path, "$path.ours" or die $!;
    spew($path, 'of another');
    $journal->remove;
    is(slurp_file($path), 'of another', 'the file of another under this name is not removed');
    rename "$path.ours", $path or die $!;
    $journal->remove;
    ok(-e $path, 'a journal that is closed is not removed');
    unlink $path;
    $journal = SpawnMeter::Store::ResultFiles->create($path);
    $journal->remove;
    ok(!-e $path, 'removed');
};

subtest 'reading ends at the first line that is not whole' => sub {
    spew($path, qq({"run":{}}\n{"pass":{"rate":1}}\n{"pass":\n{"pass":{}}\n));
    is_deeply(SpawnMeter::Store::RunFile::run_of(lines())->{passes}, [ { rate => 1 } ], 'not JSON');
    is(SpawnMeter::Store::RunFile::run_of(), undef, 'an empty journal');
    unlink $path;
};

SKIP: {
    skip 'there is no /dev/full', 1 if !-c '/dev/full';
    subtest 'a full disk' => sub {
        my $journal = SpawnMeter::Store::ResultFiles->create($path);
        open my $full, '>', '/dev/full' or die $!;
        my $out = $journal->{out};
        $journal->append(@{ $ENTRIES[0] }{qw(kind data)});
        $journal->{out} = $full;
        $journal->append(@{$_}{qw(kind data)}) for @ENTRIES[ 1, 2 ];
        ok(length $journal->failed, 'the failure is reported');
        $journal->{out} = $out;
        is_deeply([ entries() ], [ $ENTRIES[0] ], 'what was written before stays');
        $journal->append(@{ $ENTRIES[0] }{qw(kind data)});
        is($journal->failed, undef, 'there is room again');
        is_deeply([ entries() ], [ @ENTRIES, $ENTRIES[0] ], 'all is written, in order');
        $journal->remove;
    };
}
done_testing;
