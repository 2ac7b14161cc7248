# SPDX-License-Identifier: GPL-2.0-or-later
# The programs that read an export or a tidy table read it: benchstat, promtool, SQLite, DuckDB;
# what has no program is checked against a schema that was written from its documentation.
#
# PYTHON: a Python with the modules of t/export/requirements.txt (python3)
use lib 't/lib';
use TestHelp;
use GoldenRuns;
use RunWriter                  qw(write_run);
use SpawnMeter::Store::RunFile qw(load);

my $folder = scratch();
GoldenRuns::store($ROOT, "$folder", qw(mixed old new third aa sweep-memory));
my $python = $ENV{PYTHON} || 'python3';

sub run_prints {
    my (@arguments) = @_;
    my $got = command({ env => { UB_RESULTDIR => "$folder" } }, "$ROOT/Run", @arguments);
    is("$got->{status} $got->{err}", '0 ', "@arguments");
    return $got->{out};
}

# An export in a file
sub exported {
    my ($format, @names) = @_;
    return spew("$folder/@names.$format", run_prints('export', $format, @names));
}

# True where Python has the module; with CI=true it must have it
sub has_module {
    my ($module) = @_;
    return 1 if tool('python3') && command({}, $python, '-c', "import $module")->{status} == 0;
    return lacks("$python has no module $module: pip install -r t/export/requirements.txt");
}

# { test => { old, new => medians, change => difference in per cent or "~" } } of benchstat's CSV
sub benchstat {
    my (@arguments) = @_;
    my $got = command({}, tool('benchstat'), qw(-format csv), @arguments);
    is($got->{status}, 0, 'benchstat reads them') or diag $got->{err};
    my %found;
    for my $line (split /\n/, $got->{out}) {
        my ($name, $old, undef, $new, undef, $change) = split /,/, $line;
        next if !defined $name || $name !~ m{^(\w+)/copies=1\z};
        my $test = lc $1;
        $found{$test} = { old => $old, new => $new, change => $change };
    }
    return \%found;
}

# test => result of a run
sub results_of {
    my ($run) = @_;
    my ($head, @rows) = map { [ split /,/ ] } split /\n/, run_prints(qw(show --tidy), $run);
    my %column = map { $head->[$_] => $_ } 0 .. $#{$head};
    return { map { $_->[ $column{test} ] => $_->[ $column{result} ] } @rows };
}

subtest 'benchfmt: benchstat finds the tests and their medians' => sub {
    plan skip_all => 'benchstat is not installed' if !needs(0, 'benchstat');
    my $found = benchstat(exported(qw(benchfmt old)), exported(qw(benchfmt new)));
    my %of = (old => results_of('old'), new => results_of('new'));
    is_deeply([ sort keys %{$found} ], [ sort keys %{ $of{old} } ], 'the same tests');
    for my $test (sort keys %{$found}) {
        my @apart =
            grep { abs($found->{$test}{$_} / $of{$_}{$test} - 1) > 1e-6 } qw(old new);
        is("@apart", q{}, "$test: the medians");
    }
};

subtest 'benchfmt: runs, sweeps and sides as columns' => sub {
    plan skip_all => 'benchstat is not installed' if !needs(0, 'benchstat');
    for my $name (qw(old new)) {
        my $run = load("$folder/$name.json");
        write_run("$folder/$name-$_.json", { %{$run}, label => $name }) for 1, 2;
    }
    my %column = (
        label     => exported(qw(benchfmt old-1 old-2 new-1 new-2)),
        run       => exported(qw(benchfmt old new third)),
        '/memory' => exported(qw(benchfmt sweep-memory)),
        '/side'   => exported(qw(benchfmt aa)),
    );
    my %head = (
        run       => 'old,.*new,.*third',
        label     => 'old,.*new',
        '/memory' => '0,.*1M,.*10M',
        '/side'   => '1,.*2,.*8'
    );
    for my $key (sort keys %column) {
        my $got = command({}, tool('benchstat'), qw(-format csv -col), $key, $column{$key});
        like($got->{out}, qr/^,$head{$key}/m, "-col $key");
        unlike($got->{err}, qr/syntax|parse|missing/i, 'no line is refused');
    }
};

subtest 'prometheus: promtool check metrics is silent' => sub {
    plan skip_all => 'promtool is not installed' if !needs(0, 'promtool');
    for my $run ('mixed', "$ROOT/t/import/macos.txt") {
        my $text = spew("$folder/metrics", run_prints(qw(export prometheus), $run));
        my $got = command({ stdin => $text }, tool('promtool'), qw(check metrics));
        is("$got->{status} $got->{out}$got->{err}", '0 ', 'promtool');
    }
};

subtest 'bmf and gab are as their schemas say' => sub {
    plan skip_all => 'no jsonschema' if !has_module('jsonschema');
    my $program = <<'END';
import json, sys
from jsonschema import Draft7Validator
schema, data = (json.load(open(name)) for name in sys.argv[1:])
Draft7Validator.check_schema(schema)
for error in Draft7Validator(schema).iter_errors(data):
    print(list(error.path), error.message)
END
    for my $format (qw(bmf gab)) {
        for my $run ('mixed', 'tlpi-2.6.27') {
            my $file = spew("$folder/$format.json", run_prints('export', $format, $run));
            my $got =
                command({}, $python, '-c', $program, "$ROOT/t/export/$format.schema.json", $file);
            is("$got->{status} $got->{out}$got->{err}", '0 ', "$format of $run");
        }
    }
};

# The questions of docs/formats.md to a database of tidy tables, and what they must find
my @questions = slurp_file("$ROOT/docs/formats.md") =~ /^(    SELECT .*?;)$/msg;
my @answers = (qr/^golden[|]clone[|]1[|]/m);
is(@questions, @answers, 'docs/formats.md asks a database');
my $table = spew("$folder/runs.csv", run_prints(qw(show --tidy mixed old new tlpi-2.6.27)));

subtest 'tidy: sqlite3' => sub {
    plan skip_all => 'sqlite3 is not installed' if !needs(0, 'sqlite3');
    my $database = "$folder/runs.db";
    my $got = command({}, tool('sqlite3'), $database, ".import --csv \"$table\" results");
    is("$got->{status} $got->{out}$got->{err}", '0 ', 'read');
    for my $i (0 .. $#questions) {
        $got = command({}, tool('sqlite3'), $database, $questions[$i]);
        like($got->{out}, $answers[$i], (split /\n/, $questions[$i])[0]) or diag $got->{err};
    }
};

subtest 'tidy: DuckDB' => sub {
    plan skip_all => 'no duckdb' if !has_module('duckdb');
    my $program = <<'END';
import duckdb, sys
database = duckdb.connect(':memory:')
database.execute("CREATE TABLE results AS FROM '%s'" % sys.argv[1])
for question in sys.argv[2:]:
    print('--')
    for row in database.execute(question).fetchall():
        print('|'.join(str(field) for field in row))
END
    my $got = command({}, $python, '-c', $program, $table, @questions);
    is($got->{status}, 0, 'read, and asked') or diag $got->{err};
    my (undef, @found) = split /^--\n/m, $got->{out};
    like($found[$_], $answers[$_], (split /\n/, $questions[$_])[0]) for 0 .. $#questions;
};
done_testing;
