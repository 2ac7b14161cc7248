# SPDX-License-Identifier: GPL-2.0-or-later
# Posted reports from the command line: what show and compare print, and their statuses.  Scores
# are computed anew from the printed results, so that the last digit can differ.
use lib 't/lib';
use TestHelp;
use InProcess;
use GoldenRuns;
use Screen;

my $folder = scratch();
GoldenRuns::store($ROOT, "$folder", 'mixed');

sub posted { my ($name, $text) = @_; return spew("$folder/$name.txt", $text) }

sub run_suite { return run_in($ROOT, {}, @_) }

# A report of SpawnMeter with changes: what differs when it is read and shown again
sub lines_that_differ {
    my ($name, $text) = @_;
    my $shown = run_suite('show', posted($name, $text));
    is($shown->{status}, 0, "$name is read") or diag $shown->{err};
    is($shown->{err}, q{}, 'nothing is reported');
    my %was = map { $_ => 1 } split /\n/, $text;
    my %is = map { $_ => 1 } split /\n/, $shown->{out};
    return {
        lost => [ grep { !$is{$_} } sort keys %was ],
        new  => [ grep { !$was{$_} } sort keys %is ]
    };
}

subtest 'a report of SpawnMeter comes back' => sub {
    for my $name (qw(report classic report-4.1 report-brief)) {
        my $text = slurp_file("$ROOT/t/golden/expected/$name.text");
        my $differ = lines_that_differ($name, $text);
        my @lost =
            grep { !/^   SpawnMeter \(Version|^[.]\/Run|^! | failed +-$| SCORE | Index Score/ }
            grep { !/^(?:Quote|of this|differ by|  two|All columns|SpawnMeter 1)/ }
            @{ $differ->{lost} };
        is_deeply(\@lost, [], "$name: machine, results, table, remarks and banner");
        next if $name eq 'report-brief';
        my @new =
            grep { !/^   SpawnMeter \(Version 1.2.3\), imported|^Imported: | SCORE | Index Score/ }
            grep { !/^! \d+ of \d+ results: passes were flagged$/ }
            grep { !/^   Measured: |^clone .* - +-$/ } @{ $differ->{new} };
        is_deeply(\@new, [], "$name: and nothing else");
    }
    my $text = slurp_file("$ROOT/t/golden/expected/report.text");
    my $mailed = run_suite('show', posted('mailed', $text =~ s/^/> /mgr));
    like($mailed->{out}, qr/^shell8 +904.min +0[.]7%! /m, 'quoted: what is disturbed');
    my $partial = slurp_file("$ROOT/t/golden/expected/classic.text");
    $partial =~ s/^Process Benchmarks Index \KScore {15}/Score (Partial Only)/m;
    like(
        run_suite('show', posted('partial', $partial))->{out},
        qr/^Process Benchmarks Partial Index /m,
        'a partial score stays one'
    );
};

# What show, compare and CSV have of a screen
sub figures {
    my ($name, $text) = @_;
    my $file = posted($name, $text);
    my $shown = run_suite(qw(show --summary), $file);
    is($shown->{err}, q{}, "$name: every line is read");
    return $shown->{out} =~ s/^Imported.*//msr;
}

subtest 'the screen alone' => sub {
    my $report = slurp_file("$ROOT/t/golden/expected/report.text");
    my ($screen) = $report =~ /^(SpawnMeter \d.*)/ms;
    my $read = figures('screen', $screen);
    like($read, $_, "it has $_")
        for qr/^SpawnMeter 1[.]2[.]3  A CPU, 2 CPUs; Linux 6[.]1[.]0; Debian 12, glibc 2[.]36\n/,
        qr/^Process index   450 [(]444 [.][.] 455[)]  1 copy$/m,
        qr{^fork +9009/s  0[.]6%   33[.]0us  34[.]0us   22[.]7us     10   18018/s  0[.]6%$}m,
        qr{^shell8 +904/min  0[.]7%! .* 1810/min  0[.]6%$}m;
    like($read, qr{^[.]/Run  2007-11-14, 2:08 minutes$}m, 'when it was measured');
    is(figures('again', $read), $read, 'what is shown is read again');
    my $rare = $screen =~ s/0[.]6%(?=   33[.]0us)/>999%/r =~ s/^(?=Quote)/QUICK: few passes.\n/mr;
    my $shown = run_suite(qw(show --summary), posted('rare', $rare))->{out};
    like($shown, qr{^fork +9009/s >999% .*^QUICK: few passes[.]$}ms, 'a wide interval, few passes');
    my $plus = $screen =~ s/^test(?= +rate)/    /mr =~ s/^(v?fork)exec /$1+exec/mgr;
    is(figures('plus', $plus), $read, 'fork+exec and vfork+exec are names, too');
    is(figures('quoted', $screen =~ s/^/> /mgr), $read, 'quoted');
    my $wrapped = $screen =~ s/^(.{40,60}) (?=.)/$1\n/mgr;
    is(figures('wrapped', $wrapped), $read, 'wrapped by a mailer');
    my %env = (UB_RESULTDIR => "$folder", NO_COLOR => 1);
    my $rates = sub {
        return { $_[0] =~ m{^(\w+ +\S+/(?:s|min)) +(\S+%)}mg };
    };
    for my $columns (40, 60) {
        my $shown = on_terminal({ columns => $columns, rows => 24, env => \%env },
            "$ROOT/Run", qw(show --summary mixed))
            || next;
        my $narrow = $shown->{text} =~ tr/\r//dr;
        ok(!(grep { length > $columns } split /\n/, $narrow), "$columns columns are enough");
        my $same = $rates->(figures("narrow-$columns", $narrow));
        is_deeply($same, $rates->($read), 'and it is read');
    }
    my $two = run_suite('compare', posted('one', $screen), posted('two', $report));
    like($two->{out}, qr{^fork +18018/s +18018/s +[+]0[.]0% }m, 'compared with the whole report');
    my $busy = slurp_file("$ROOT/t/golden/expected/busy.text") =~ s/.*^(?=BUSY)//msr;
    my $headless = $busy =~ s/^BUSY.*\n//r;
    for my $text ($busy, $headless, $headless =~ s/^(Finer: end the) (other).*/$1\n$2 work/mr) {
        my $compared = run_suite('compare', posted('busy', $text), posted('two', $report))->{out};
        like($compared, qr{^fork .* busy$}m, 'no verdict on a busy one');
    }
    unlike(figures('headless', $headless), qr/index/, 'and no index, without its first line, too');
};

subtest 'rows of the table alone' => sub {
    my $rows = <<'END';
test             rate   +/-   median     p99  blocked faults
fork           5023/s  8.4%    185us   528us   79.4us     10
posix_spawn    1384/s  3.5%    709us  1.07ms    155us     51
END
    like(figures('rows', $rows), qr/^an unknown number of copies\n\Q$rows\E/m, 'copies unknown');
    my $with_command = "    \$ ./Run -c 1 fork posix_spawn\n" . $rows =~ s/^/    /mgr;
    my $read = figures('command', $with_command);
    like($read, qr/^ +1 copy\n\Q$rows\E/m, 'copies of the command above');
    my $shown = run_suite('show', "$folder/command.txt")->{out};
    is(figures('shown', $shown), $read, 'and shown they are read again');
};

subtest 'a line of the screen that is not used is shown as it stands, once' => sub {
    my ($screen) = slurp_file("$ROOT/t/golden/expected/report.text") =~ /^(SpawnMeter \d.*)/ms;
    my ($row) = (my $odd = $screen =~ s/^fork /frok /mr) =~ /^(frok .*)$/m;
    my @ignored = run_suite('show', posted('odd', $odd))->{err} =~ /: ignored: (.*)/g;
    is(scalar @ignored, 1, 'a row of an unknown test');
    like($ignored[0], qr/: \Q$row\E$/, 'and its text');
    my $heads = $screen =~ s/^fork .*//msr;
    my ($index) = $heads =~ /^(Process index .*)$/m;
    like(run_suite('show', posted('heads', $heads))->{err}, qr/: \Q$index\E$/m, 'an index');
};

# With -v it has tables whose rows have 76 columns
subtest 'the whole report, as mailers wrap it' => sub {
    my $whole = run_in($ROOT, { env => { UB_RESULTDIR => "$folder" } }, qw(show -v mixed))->{out};
    my $table = sub { run_suite(qw(show --csv), posted('whole', $_[0]))->{out} };
    my $read = $table->($whole);
    like($read, qr/,22.70,/, 'the median time of the call is read');
    for my $width ($ENV{LONG} ? (75, 66, 60, 50) : (66, 50)) {
        my $wrapped = join "\n", map {
            my ($line, @parts) = $_;
            push @parts, $1 while length $line > $width && $line =~ s/^(.{1,$width}) (?=\S)//;
            @parts, $line
        } split /\n/, $whole;
        is($table->($wrapped), $read, "wrapped at $width columns it says the same");
    }
    my $cut = run_suite('show', posted('whole', $whole =~ s/^(forkexec +1150.*us) .*/$1/mr));
    my $missing = qr/, line \d+: ignored: the rest of this row is missing: forkexec /;
    like($cut->{err}, $missing, 'a row that is cut is named with its line');
    my $of_copies = qr/^reference, 1 copy: .*^reference, 2 copies: /ms;
    my $short = run_suite('show', posted('short', "test  rate  +/-\nfork  5023/s\n"))->{err};
    like(
        $short,
        qr/\A\S*[^\n]*: the rest of this row is missing: fork  5023\S+\n\z/,
        'and no warning'
    );
    my $shown = run_suite('show', posted('whole', $whole));
    like($shown->{out}, $of_copies, 'what is said of copies');
    like($shown->{err}, qr/: the rows below it are not read: .*: The creating call/, 'and of -v');
};

my $TABLE = <<'END';
System Benchmarks Partial Index              BASELINE       RESULT    INDEX
Execl Throughput                                 43.0        577.7    134.4
File Copy 1024 bufsize 2000 maxblocks          3960.0     443558.1   1120.1
Shell Scripts (8 concurrent)                      6.0        906.1   1510.1
                                                                   ========
System Benchmarks Index Score (Partial Only)                          610.3
END

subtest 'a text that begins as JSON does' => sub {
    my $report = slurp_file("$ROOT/t/import/macos.txt");
    my $plain = run_suite('show', posted('first', $report))->{out};
    for my $first (
        '[root@host UnixBench]# ./Run', '[code]',
        '{code}', '{code:title=x}',
        '{{{', '[details="first"]',
        '[03:12:44] begins', '[1] 4711'
    ) {
        my $shown = run_suite('show', posted('first', "$first\n$report"));
        is($shown->{status}, 0, "$first: is read");
        is($shown->{out} =~ s/^   Label: .*\n//mr, $plain, "$first: as without it");
    }
    for my $json ('{', '{"format": "spawnmeter-run", "schema"', '{"a": 1}', '{}') {
        is(run_suite('show', posted('json', $json))->{status}, 2, "$json: is refused");
    }
};

subtest 'a post without copies, compared in other forms' => sub {
    my $text = join "\n", map { "$_ the patch:\n\n$TABLE" } qw(Before After);
    my $file = posted('forms', $text);
    my %out = map { $_ => run_suite('compare', "--$_", $file)->{out} } qw(markdown csv json);
    like($out{markdown}, qr/^- [*]{2}old[*]{2}: Before the patch; /m, 'Markdown: label');
    like($out{markdown}, qr/^[|] Execl Throughput [|] [?] [|]/m, 'Markdown: copies');
    like($out{csv}, qr/#2,,execl,.*,Before the patch,After the patch,$/m, 'CSV');
    like($out{json}, qr/"from_label" : "Before the patch"/, 'JSON: label');
    is_deeply([ $out{json} =~ /"copies" : (?!null)(\S+)/g ], [], 'JSON: copies are null');
    like(run_suite('show', '--csv', $file)->{out}, qr/^,577[.]7,/m, 'CSV of a post');
};

subtest 'a post without copies, compared with one that states them' => sub {
    my @files = (posted('silent', $TABLE), "$ROOT/t/import/macos.txt");
    my $nothing = run_suite('compare', @files);
    says($nothing, qr/; -c N takes results that do not state it/, 'a remedy');
    unlike($nothing->{out}, qr/ is better/, 'no table, and no words about one');
    my $compared = run_suite(qw(compare -c 1), @files);
    is($compared->{status}, 0, 'with -c they are compared');
    like($compared->{out}, qr/^execl +578\/s /m, 'by their rates');
};

subtest 'what cannot be read' => sub {
    my $report = slurp_file("$ROOT/t/import/macos.txt");
    my $table = "Test              Single   Dual  Gain\nExecl Throughput   450.4  880.3   95%\n";
    my $shown = run_suite('show', posted('summary', "$report\n$table"));
    my $ignored = qr/, line \d+: ignored: .*Execl Throughput   450\.4/;
    says($shown, $ignored, 'a table in another format beside a report', 0);
    my $damaged = $report =~ s/Execl Throughput(?= +577\.7 lps)/Exacl Throughput/r;
    $shown = run_suite('show', posted('damaged', $damaged));
    says($shown, qr/no test has the title 'Exacl Throughput'/, 'a damaged line of a report', 1);
    $shown = run_suite('show', posted('alone', $table));
    is($shown->{status}, 2, 'nothing is read: status 2');
    $shown = run_suite('show', "$folder/alone.txt", posted('damaged', $report));
    says($shown, qr/^Run: .*alone[.]txt: /m, 'of several files one that cannot be read', 1);
    like($shown->{out}, qr/^Execl Throughput/m, 'and the others are shown');
    my $lies = posted('lies', $report =~ s/(Index Score +)748\.8/${1}848.8/r);
    like(
        run_suite('compare', $lies, "$ROOT/t/import/raspberry-pi-5.txt")->{err},
        qr/^lies\.txt: The printed score of .*, 1 copy, is 848\.8; its results give 748\.8\.$/m,
        'compare shows a misprint'
    );
};

subtest 'values in JSON are headed as what they are' => sub {
    my $file = posted('values', qq({"\xc3\xa9": {"Execl Throughput": ["5.0", "6.0", "7.0"]}}));
    my $shown = run_suite('show', $file)->{out};
    like($shown, qr/^   UnixBench, imported from .*^   Label: \xc3\xa9$/ms, 'suite and label');
    unlike($shown, qr{SpawnMeter|: unknown}, 'and nothing that is not in the text');
};

subtest 'the versions 3.11 and 4.1' => sub {
    my $old = run_suite('show', "$ROOT/t/import/posts/v3.11-plain.txt");
    is($old->{err}, q{}, '3.11: no misprint');
    like($old->{out}, qr/^Execl Throughput Test +16\.5 +998\.0 +60\.5$/m, '3.11: a ratio');
    my $scored = run_suite('show', '--baseline', '4.1.0', "$ROOT/t/import/macos.txt")->{out};
    like($scored, qr/^Execl Throughput +43\.0 +577\.7 +134\.[34]\n/m, '--baseline 4.1.0');
};

subtest 'the page of a classic suite' => sub {
    my $page = slurp_file("$ROOT/t/import/posts/page-html.txt") =~ s/<td>\K(?= [(]108)/A CPU/r;
    my $shown = run_suite('show', posted('page', $page))->{out};
    like($shown, qr/^   Machine: aarch64\n   CPU: A CPU$/m, 'its machine');
};
done_testing;
