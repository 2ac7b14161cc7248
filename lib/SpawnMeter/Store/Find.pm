# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Find;

# Finds stored runs.
#
#   files(suite { root, results => folder }, name) -> (paths) that a name stands for:
#         latest, latest~1, ...    the newest run of tests, the one before it, ...; no sweep, no A/B
#         a folder                 all run files in it, files of samples, and reports that
#                                  have a name of the classic suite and no run file; where it has
#                                  none of these, all *.txt
#         a file                   with or without .json, or .part if Run was killed; looked for
#                                  as it stands and below the suite's root, and if it has no
#                                  slash among the results and the published figures.  The text,
#                                  page or table of a run, beside its run file, is that run
#         a label                  all runs that were stored with it, the oldest first
#         a unique beginning       of the name of a stored run, or of a label
#         -, and other paths       the name itself
#       in this order.  Dies where there are not so many runs, where a folder has no run file, and
#       where several runs and labels begin so (with their names) or none
#   newest(folder, kind or undef) -> (paths) of its runs, the last one first; starts after now last
#   with_label(folder, label) -> (paths) of those with this label, the newest first
#
# A run file that is cut or cannot be read may be of any kind and label: it counts as of all.
#
# Kinds are "run", "equals" (of ./Run aa), "ab", "kernels" and "sweep"; without one all are meant.

use strict;
use warnings;
use SpawnMeter::Store::RunFile qw(summary_of);
use SpawnMeter::Util::Format   qw(did_you_mean);
use SpawnMeter::Util::File     qw(decode slurp);

use constant { MB => 1024 * 1024, SHOWN => 10 };    # names in a message

sub files {
    my ($suite, $name) = @_;
    return $name if $name eq q{-};
    return latest($suite, $name, $1 || 0) if $name =~ /^latest(?:~(\d{1,4}))?\z/ai;
    return in_folder($name) if -d $name;
    my ($path) = grep { -e && !-d _ } candidates($suite, $name);
    return $path if defined $path;
    my @labelled = reverse with_label($suite->{results}, $name);
    return @labelled if @labelled;
    return $name =~ m{/} ? $name : beginning_with($suite->{results}, $name);
}

sub beginning_with {
    my ($folder, $name) = @_;
    my @stored = stored($folder);
    my @names = map { $_->{name} } @stored;
    my @runs = grep { index($_, $name) == 0 } @names;
    my %label = map { $_ => 1 }
        grep { index($_, $name) == 0 } grep { defined } map { $_->{label} } @stored;
    my @labels = sort keys %label;
    return reverse with_label($folder, @labels) if @labels == 1 && !@runs;
    return "$folder/$runs[0].json" if @runs == 1 && !@labels;
    die "$name: several runs or labels begin so: " . some(@labels, @runs) . "\n"
        if @runs || @labels;
    my $newest = @names ? 'the last ones are ' . some(@names) . '; ' : q{};
    die "$name: No such file, and no stored run has that name"
        . did_you_mean($name, [ @names, 'latest' ], "${newest}./Run list runs prints them") . "\n";
}

sub some {
    my (@names) = @_;
    splice @names, SHOWN, @names, '...' if @names > SHOWN;
    return join q{, }, @names;
}

sub latest {
    my ($suite, $name, $back) = @_;
    my @runs = newest($suite->{results}, 'run');
    return $runs[$back] if $back < @runs;
    die "$name: no run of tests is stored in $suite->{results}; ./Run makes one\n" if !@runs;
    my $number = @runs == 1 ? '1 stored run' : scalar(@runs) . ' stored runs';
    die "$name: only $number of tests in $suite->{results}; ./Run list runs prints the names of "
        . "all, of sweeps and A/B runs, too\n";
}

sub with_label {
    my ($folder, $label) = @_;
    utf8::decode($label);
    my @may_have =
        grep { ($_->{label} // ($_->{broken} ? $label : q{})) eq $label } stored($folder);
    return (grep { defined $_->{label} } @may_have) ? map { $_->{path} } @may_have : ();
}

sub newest {
    my ($folder, $kind) = @_;
    return map { $_->{path} }
        grep { !defined $kind || ($_->{kind} // $kind) eq $kind } stored($folder);
}

# The kind of a run, or q{}
sub kind { my ($path) = @_; return facts_of($path)->{kind} || q{} }

sub in_folder {
    my ($folder) = @_;
    my @runs = glob "\Q$folder\E/*.{json,samples}";
    my %stored = map { s/[.](?:json|samples)\z//r => 1 } @runs;
    my @reports = grep { /-\d{4}-\d\d-\d\d-\d\d\z/a && -f && !$stored{$_} } glob "\Q$folder\E/*";
    @reports = grep { (slurp($_) || q{}) !~ /^Time of one \w+ by phase/m } @reports;    # of trace
    my @texts = @runs || @reports ? () : glob "\Q$folder\E/*.txt";
    die "$folder: no run files (*.json, *.samples) and no reports (HOST-2022-03-01-01, *.txt) in "
        . "this folder\n"
        if !@runs && !@reports && !@texts;
    return sort @runs, @reports, @texts;
}

sub candidates {
    my ($suite, $name) = @_;
    my ($run) = $name =~ /\A(.+?)(?:[.]tidy)?[.](?:html|log|csv|svg|png)\z/s;
    my @paths;
    for my $one (grep { defined } $run, $name) {
        my @places =
            $one =~ m{/} ? $suite->{root} : ($suite->{results}, "$suite->{root}/results/reference");
        push @paths, map { ("$_.json", "$_.part", $_) } $one, map { "$_/$one" } @places;
    }

    # other files of a run (.csv, .log) are not taken where only its name is given
    return grep { $_ eq $name || /[.](?:json|part)\z/ } @paths;
}

# The runs of a folder, the one that began last first -> ({ path, name, kind, label or undef,
# started, changed, broken }), by the start in the file: a copy (cp, rsync) changes the file's time
sub stored {
    my ($folder) = @_;
    my @runs = grep { defined $_->{kind} || $_->{broken} }
        map { facts_of($_) } glob "\Q$folder\E/*.json";
    my $now = time + 1;    # what dates files can be a tick ahead of time()
    return sort {
               ($a->{started} > $now) <=> ($b->{started} > $now)
            || $b->{started}          <=> $a->{started}
            || $b->{changed}          <=> $a->{changed}
            || $b->{path} cmp $a->{path}
    } @runs;
}

sub facts_of {
    my ($path) = @_;
    my ($size, $changed) = (stat $path)[ 7, 9 ];
    my ($name) = $path =~ m{([^/]+?)(?:[.]json)?\z};
    my %facts = (path => $path, name => $name, changed => $changed, started => $changed);
    return \%facts if -d _;
    my $is_read = -f _ && $size <= SpawnMeter::Store::RunFile::run_max_mb() * MB;
    my $run = $is_read && (summary_of($path) || summary_of_old($path)) || { broken => 1 };
    $facts{$_} = $run->{$_} // $facts{$_} for qw(kind label started broken);
    return \%facts;
}

# The same of a run of 0.5 or earlier, or of export json, whose file is one object, and whether it
# is cut.  Its long text is searched and not parsed.  Its keys are sorted, so kind and label stand
# before the passes, and the last start in the file is that of the run; others are of blocks
sub summary_of_old {
    my ($path) = @_;
    my $text = slurp($path) // return;
    my %run = (broken => $text !~ /[}\]]\s*\z/);
    my ($head) = split /"passes"\s*:/, $text, 2;
    ($run{kind}) = ($head // q{}) =~ /"kind"\s*:\s*"(run|equals|ab|sweep|kernels)"/;
    $run{label} = eval { decode("[$1]")->[0] }
        if ($head // q{}) =~ /"label"\s*:\s*("(?:[^"\\]|\\.){0,1000}")/;
    $run{started} = $1 if $text =~ /.*"started"\s*:\s*(\d{1,12})\b/as;
    return \%run;
}

1;
