# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Anonymous;

# A run without what identifies a site.  Pure functions.
#
#   anonymous(run) -> run record: without host name, label, command line and source; its name is
#       "run-" and the time when it started.  In every text of it a path is PATH, what a target is
#       given ARGUMENT, a command COMMAND, and what identifies the site HIDDEN; of a command that
#       failed the output is left out.  Names of tests and measurements stay
#   anonymous_groups([runs], ... of a comparison) -> the same without it: each has the name of
#       its run, "#2" and so on after equal ones; no host is named

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(anonymous anonymous_groups);

my @IDENTIFY = qw(host command source remarks label);

# Texts that others are found by, and numbers as text
my %KEPT = map { $_ => 1 } qw(name title test tests category groups series side value values axis
    quantity unit kind format suite status label batches histogram stalls cells cpus);

# Options of the programs, their numbers, and targets of pgms
my $HARMLESS = qr/\A(?:--[a-z-]+|[\d.]+[kKmMgG]?|(?:true|sh)-[a-z\d-]+M?)\z/;

# A path; one in quotes can have blanks.  "1/2", "9/s", "/s" and "./Run" are not paths
my $NAME = qr{[^\s/:;,'"()=|]+};
my $PATH = qr{(?<=")(?:~|[.]{1,2})?/[^"]*(?=")|(?<![\w.])(?:
    (?:~|[.]{1,2})?(?:/$NAME){2,}/? | (?:~|[.][.])/$NAME | (?<![^\s'"=:(])/[\w.+-]{3,} )}x;
my $FAILED = qr/(--set-(?:a|b|back)) '.*/s;

sub anonymous {
    my ($run) = @_;
    my %copy = %{ hidden($run) };
    delete @copy{@IDENTIFY};
    my @sides = @{ $run->{sides} || [] };
    $copy{sides} = [ map { hidden($_) } @sides ] if @sides;
    my ($first) = split /[.]/, $run->{host} // q{};
    my @told = ($first, @{$run}{qw(host name label set_back programs)});
    for my $part ($run, @sides) {
        push @told, @{$part}{qw(set stop programs)}, @{ $part->{wrap} || [] };
        push @told, grep { $_ !~ $HARMLESS } @{ $part->{options} || [] };
    }
    my @words = grep { defined && /[[:alpha:]]/ && length > 1 } @told;
    my $told = join q{|}, map { quotemeta } sort { length $b <=> length $a } @words;
    my $started = $run->{started};
    return {
        %{ cleaned(\%copy, @words ? qr/(?<!\w)(?:$told)(?!\w)/ : qr/(?!)/) },
        name => defined $started ? sprintf('run-%.0f', $started) : 'run'
    };
}

# Hides the commands and folders of a run, or of a side of an A/B run
sub hidden {
    my ($part) = @_;
    my %copy = %{$part};
    $copy{options} = [ map { $_ =~ $HARMLESS ? $_ : 'ARGUMENT' } @{ $copy{options} } ]
        if $copy{options};
    $copy{wrap} = ['COMMAND'] if $copy{wrap};
    $copy{programs} = 'PATH' if defined $copy{programs};
    $copy{$_} = 'COMMAND' for grep { defined $copy{$_} } qw(set stop set_back);
    return \%copy;
}

# The data with each of their texts so, except those that are kept
sub cleaned {
    my ($data, $told, $kept) = @_;
    return { map { $_ => cleaned($data->{$_}, $told, $KEPT{$_}) } keys %{$data} }
        if ref $data eq 'HASH';
    return [ map { cleaned($_, $told, $kept) } @{$data} ] if ref $data eq 'ARRAY';
    my $text = $data;    # a number stays one
    return $data if $kept || ref $data || !defined $data || $text !~ m{[[:alpha:]/]};
    $text                                                         =~ s/$FAILED/$1 COMMAND: failed/;
    return without_paths($text)                                   =~ s/$told/HIDDEN/gr;
}

sub anonymous_groups {
    my (@groups) = map { [ map { { %{$_} } } @{$_} ] } @_;
    my %times;
    for my $run (map { @{$_} } @groups) {
        $run->{head} = anonymous($run->{head});
        my $name = $run->{head}{name};
        my $time = ++$times{$name};
        $run->{name} = $time > 1 ? "$name#$time" : $name;
    }
    return @groups;
}

sub without_paths { my ($text) = @_; return $text =~ s/$PATH/PATH/gr }

1;
