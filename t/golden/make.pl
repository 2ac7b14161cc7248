#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What users see, made from runs with fixed numbers and a fake machine: the golden files
# hold it, and golden.t compares.
#
# usage: make.pl FORM      prints one form
#        make.pl FOLDER    writes each form to a file of its name there

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../lib", "$FindBin::Bin/../lib";
use Cwd        ();
use File::Copy ();
use File::Temp ();
use POSIX      ();
use GoldenMachine;
use GoldenRuns;
use InProcess;
use SpawnMeter::Report::Advice;
use SpawnMeter::Report::Explain;
use SpawnMeter::Report::Export;
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Analysis::Points;
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Analysis::Points qw(beside_published judged_claims);
use SpawnMeter::Report::Curve    qw(claims counts_of_verdicts);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Command::Trace;

$ENV{TZ} = 'UTC';
POSIX::tzset();

my $root = Cwd::abs_path("$FindBin::Bin/../..");
my $folder = File::Temp->newdir;
@ENV{qw(UB_RESULTDIR LC_ALL NO_COLOR PATH)} = ("$folder", 'C', 1, gnuplot_in("$folder/bin"));

# What ./Run prints for these arguments; file names are those of the fixed runs
sub run_prints {
    my (@arguments) = @_;
    my %with = (folder => "$folder", env => { UB_RESULTDIR => "$folder" });
    my $got = run_in($root, \%with, @arguments);
    print {*STDERR} $got->{err};
    my $text = $got->{out};
    die "Run printed nothing\n" if $text !~ /\S/;

    # a machine without gnuplot says so, and has the same table
    $text =~ s/^No plot: .*\n//mg;

    # the posted machines, of which there are always more
    $text =~ s{^<p>\w+ [\d.]+, [\w ]+: place .*\n}{}mg;
    return $text;
}

# A page without its frame, which report.html has
sub page {
    my $page = run_prints(@_);
    $page =~ s{<(style|script)>\K.*?(?=</\1>)}{}gs;
    return $page;
}

sub explained {
    my %of =
        map { $_ => SpawnMeter::Analysis::Points::analysis(GoldenRuns::sweep($root, $_)) }
        map { $_->{sweep} } SpawnMeter::Analysis::CostModel::needed();
    return SpawnMeter::Report::Explain::render(SpawnMeter::Analysis::CostModel::model_of(\%of));
}

# The page of ./Run published, of the fixed runs, and of what cannot be measured here
sub published_page {
    my ($text, @claims) = (q{});
    for my $name (qw(kobzol-2024 tlpi-28-3 macos-libuv)) {
        my $experiment = SpawnMeter::Catalog::Experiments::named($root, $name);
        my $run = GoldenRuns::published($root, $name);
        $run = { passes => [] } if $name eq 'macos-libuv';
        my $facts = { cpus_usable => 2, system => 'Linux' };
        my $own = judged_claims($experiment, beside_published($experiment, $run), $facts);
        $text .= claims($experiment, $own);
        push @claims, @{$own};
    }
    return join "\n", $text, counts_of_verdicts(@claims), q{};
}

sub traced {
    my ($method) = @_;
    return SpawnMeter::Command::Trace::rendered(
        $method,
        GoldenMachine::phases($method),
        {
            count   => 10_000,
            cpu     => 0,
            options => $method eq 'forkexec' ? [qw(--heap 1G --exec true-lazy)] : [],
        }
    );
}

# The advice for a machine on which everything disturbs
sub advised {
    my $facts = GoldenMachine::facts();
    my %state = (
        busy      => 0.4,
        swap_used => 2048,
        traced    => 1
    );
    my $text = join q{}, map { "$_\n" } SpawnMeter::Report::Advice::advice($facts, \%state);
    my $root_of_fake = GoldenMachine::machine();
    my $fake = SpawnMeter::Machine::Facts->new(
        root        => "$root_of_fake",
        uname       => [ 'Linux', 'golden', '6.1.0', '#1 SMP', 'x86_64' ],
        environment => {},
        page_size   => 4096
    )->facts;
    delete @{$fake}{qw(shell_tests_locale)};
    return $text . join q{},
        map { "$_: " . (defined $fake->{$_} ? $fake->{$_} : 'unknown') . "\n" } sort keys %{$fake};
}

# A posted text; its name is short, whatever folder the checkout lies in
sub imported {
    my ($name) = @_;
    File::Copy::copy("$root/t/import/$name.txt", "$folder/$name.txt") or die "$name.txt: $!\n";
    return run_prints('show', "$name.txt");
}

my @many = qw(old.json new.json third.json);
my @formats = grep { $_ ne 'json' } SpawnMeter::Report::Export::formats();
my %FORM = (
    (
        map {
            my $format = $_;
            ("export.$format" => sub { run_prints('export', $format, 'two/mixed.json') })
        } @formats
    ),
    'report.text'                  => sub { run_prints('show', 'mixed.json') },
    'report.csv'                   => sub { run_prints(qw(show --csv mixed.json)) },
    'report.tidy.csv'              => sub { run_prints(qw(show --tidy mixed.json old.json)) },
    'report.html'                  => sub { run_prints(qw(show --html mixed.json)) },
    'report-4.1.text'              => sub { run_prints(qw(show --baseline 4.1 mixed.json)) },
    'report-verbose.text'          => sub { run_prints(qw(show -v two/mixed.json)) },
    'report-brief.text'            => sub { run_prints(qw(show --brief mixed.json)) },
    'classic.text'                 => sub { run_prints('show', 'classic.json') },
    'compare.text'                 => sub { run_prints(qw(compare old.json new.json)) },
    'compare.markdown'             => sub { run_prints(qw(compare --markdown old.json new.json)) },
    'compare.csv'                  => sub { run_prints(qw(compare --csv old.json new.json)) },
    'compare.json'                 => sub { run_prints(qw(compare --json old.json new.json)) },
    'busy.text'                    => sub { run_prints('show', '--brief', 'busy.json') },
    'compare-busy.text'            => sub { run_prints(qw(compare busy.json old.json)) },
    'compare-busy.markdown'        => sub { run_prints(qw(compare --markdown busy.json old.json)) },
    'compare-busy-3.text'          => sub { run_prints(qw(compare old.json busy.json new.json)) },
    'compare-3.text'               => sub { run_prints('compare', @many) },
    'compare-4.text'               => sub { run_prints('compare', @many, 'classic.json') },
    'compare.html'                 => sub { page(qw(compare --html old.json new.json)) },
    'compare-many.html'            => sub { page(qw(compare --html --anonymous many)) },
    'compare-many.text'            => sub { run_prints(qw(compare many)) },
    'compare-3.markdown'           => sub { run_prints('compare', '--markdown', @many) },
    'sweep.text'                   => sub { run_prints('show', 'sweep-memory.json') },
    'sweep.csv'                    => sub { run_prints('show', '--csv', 'sweep-memory.json') },
    'sweep-target.text'            => sub { run_prints('show', 'sweep-target.json') },
    'kobzol-2024.text'             => sub { run_prints('show', 'published-kobzol-2024.json') },
    'published.text'               => \&published_page,
    'report-anonymous.text'        => sub { run_prints('show', '--anonymous', 'mixed.json') },
    'export-many.benchfmt'         => sub { run_prints(qw(export benchfmt two)) },
    'sweep-start.text'             => sub { run_prints('show', 'sweep-start.json') },
    'sweep-start.csv'              => sub { run_prints('show', '--csv', 'sweep-start.json') },
    'export-sweep.benchfmt'        => sub { run_prints(qw(export benchfmt sweep-memory.json)) },
    'explain.text'                 => \&explained,
    'trace-fork.text'              => sub { traced('fork') },
    'trace-forkexec.text'          => sub { traced('forkexec') },
    'trace-posix_spawn.text'       => sub { traced('posix_spawn') },
    'aa.text'                      => sub { run_prints('show', 'aa.json') },
    'ab.text'                      => sub { run_prints('show', 'ab.json') },
    'ab.markdown'                  => sub { run_prints(qw(compare --markdown ab.json)) },
    'ab.csv'                       => sub { run_prints(qw(compare --csv ab.json)) },
    'ab.json'                      => sub { run_prints(qw(compare --json ab.json)) },
    'doctor.text'                  => \&advised,
    'list.text'                    => sub { run_prints('list') },
    'help.text'                    => sub { run_prints('--help') },
    'imported-macos.text'          => sub { imported('macos') },
    'imported-raspberry-pi-5.text' => sub { imported('raspberry-pi-5') },
    'imported-raspberry-pi-zero.text' => sub { imported('raspberry-pi-zero') },
);

my ($wanted) = @ARGV or die "usage: make.pl FORM or FOLDER\n";
my $many = -d $wanted;
die "make.pl: no form '$wanted'\n" if !$many && !$FORM{$wanted};
GoldenRuns::store($root, "$folder");
for my $form ($many ? sort keys %FORM : $wanted) {
    my $text = $FORM{$form}->();
    utf8::encode($text) if utf8::is_utf8($text);
    open my $out, '>', $many ? "$wanted/$form" : '/dev/stdout' or die "$form: $!\n";
    print {$out} $text;
    close $out or die "$form: $!\n";
}
