package SpawnMeter::Store::Find;

# Which stored runs there are, and which of them a name stands for.
#
#   files(suite { root, results }, name, kind) -> the files: of latest, latest~1 ... (of
#       that kind), a folder, a file, or a file in the results or among the published
#       figures, with or without .json. A name that stands for nothing, or -, comes back
#       as it is; dies where there is no such latest and where a folder holds no run
#   newest(folder, kind) -> its files, the newest first
#   Kinds: "run", "equals" (of ./Run aa), "sweep"; without one, all of them.

use strict;
use warnings;
use List::Util qw(first);
use SpawnMeter::Store::RunFile;

sub files {
    my ($suite, $name, $kind) = @_;
    return $name if $name eq q{-};
    if ($name =~ /^latest(?:~(\d{1,4}))?$/i) {
        my $back = $1 || 0;
        my @runs = newest($suite->{results}, $kind);
        die "$name: there are " . scalar(@runs) . " stored runs in $suite->{results}\n"
            if $back > $#runs;
        return $runs[$back];
    }
    if (-d $name) {
        my @files = sort glob "\Q$name\E/*.json";
        die "$name: no .json in this folder\n" if !@files;
        return @files;
    }
    my @places =
        map { ($_, "$_.json") } $name, $name =~ m{/}
        ? ("$suite->{root}/$name")
        : ("$suite->{results}/$name", "$suite->{root}/results/reference/$name");
    my $there = first { -e && !-d _ } grep { /[.](?:json|part)\z/ || $_ eq $name } @places;
    return defined $there ? $there : $name;
}

sub newest {
    my ($folder, $kind) = @_;
    my @files =
        map  { $_->[0] }
        sort { $b->[1] <=> $a->[1] || $b->[0] cmp $a->[0] }
        map  { [ $_, (stat)[9] || 0 ] } glob "\Q$folder\E/*.json";
    return grep { defined $kind ? kind($_) eq $kind : kind($_) } @files;
}

# From the text, without reading it as JSON: these files can be long
sub kind {
    my ($file) = @_;
    return q{} if !-f $file || -s _ > SpawnMeter::Store::RunFile::SIZE_MAX();
    open my $in, '<:raw', $file or return q{};
    my ($text, $tail) = (q{}, q{});
    while (read $in, $text, 1_048_576) {
        return $1 if "$tail$text" =~ /"kind"\s*:\s*"(run|equals|sweep)"/;
        $tail = substr $text, -32;
    }
    return q{};
}

1;
