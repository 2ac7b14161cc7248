# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Store::ResultFiles qw(open_results check forget finish write_file);

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
    is($results[0]{path}, "$folder/$results[0]{name}", 'path');
    is(open_results($folder, undef, $_)->{name} =~ s/-\d{4}-.*//sr, 'unknown', "host '$_'")
        for q{}, '..-';
    is(length(open_results($folder, undef, 'h' x 300)->{name}), 64 + 14, 'a long host name is cut');
    my $first = open_results($folder, undef, 'log');
    unlink "$first->{path}.part";
    like(open_results($folder, undef, 'log')->{name}, qr/-02\z/, 'a log alone has the name, too');
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
    finish($results, { a => 1, passes => ['not these'] });
    is_deeply(names($folder), [qw(named.json named.log)], 'finished: the journal is removed');
    is(
        slurp_file("$folder/named.json"),
        qq({"a":1,"passes":[{"b":2},{"c":3}]}\n),
        'finished: the run is stored, with the passes of the journal'
    );
    my %bad = (
        'a path'              => '../x',
        'the folder above'    => '..',
        'this folder'         => q{.},
        'empty'               => q{},
        'a line end'          => "a\nb",
        'a control character' => "\e[31m",
        'too long'            => 'x' x 241,
    );

    for my $what (sort keys %bad) {
        like(
            error_of(sub { open_results($folder, $bad{$what}, 'h') }),
            qr/\AUB_OUTPUT_FILE_NAME: .* without a slash/s,
            "refused: $what"
        );
    }
    is_deeply(names($folder), [qw(named.json named.log)], 'a refused name leaves no file');
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
done_testing;
