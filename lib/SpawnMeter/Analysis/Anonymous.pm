# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Anonymous;

# A run without what identifies a site.  Pure functions.
#
#   anonymous(run) -> run record: without host name, label, command line and source; its name is
#       "run-" and the time when it started; paths in texts (reasons, build, notes) are
#       replaced by PATH, and what a target is given by ARGUMENT.  Facts and measurements stay
#   anonymous_groups([runs], ... of a comparison) -> the same without it: each has the name of
#       its run, "#2" and so on after equal ones; no host and no page is named

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(anonymous anonymous_groups);

my @IDENTIFY = qw(host command source remarks label);

# Options of the programs, their numbers, and targets of pgms
my $HARMLESS = qr/\A(?:--[a-z-]+|[\d.]+[kKmMgG]?|(?:true|sh)-[a-z\d-]+M?)\z/;

# Two names and a slash at least: "1/2" and "/s" are none
my $PATH = qr{(?<![\w.])~?(?:/[^\s/:;,'"()=|]+){2,}/?|(?<![\w.])~/[^\s/:;,'"()=|]+};

sub anonymous {
    my ($run) = @_;
    my %copy = %{ hidden($run) };
    delete @copy{@IDENTIFY};
    my $started = $run->{started};
    $copy{name} = defined $started ? sprintf('run-%.0f', $started) : 'run';
    $copy{$_} = [ map { hidden($_) } @{ $run->{$_} } ] for grep { $run->{$_} } qw(sides passes);
    return \%copy;
}

# A run, a pass or a side of an A/B run, of which commands and folders are not shown at all
sub hidden {
    my ($of) = @_;
    my %copy = %{$of};
    $copy{reason} = without_paths($copy{reason}) if defined $copy{reason};
    $copy{$_} = [ map { without_paths($_) } @{ $copy{$_} } ]
        for grep { $copy{$_} } qw(build notes conditions);
    $copy{options} = [ map { $_ =~ $HARMLESS ? $_ : 'ARGUMENT' } @{ $copy{options} } ]
        if $copy{options};
    $copy{wrap} = ['COMMAND'] if $copy{wrap};
    $copy{programs} = 'PATH' if defined $copy{programs};
    $copy{$_} = 'COMMAND' for grep { defined $copy{$_} } qw(set stop set_back);
    return \%copy;
}

sub anonymous_groups {
    my (@groups) = @_;
    my %times;
    my $anonymous = sub {
        my ($run) = @_;
        my $head = anonymous($run->{head});
        my $name = $head->{name};
        my $time = ++$times{$name};
        $name .= "#$time" if $time > 1;
        return { %{$run}, head => $head, name => $name, host => undef, page => undef };
    };
    return map { [ map { $anonymous->($_) } @{$_} ] } @groups;
}

sub without_paths { my ($text) = @_; return defined $text ? $text =~ s/$PATH/PATH/gr : undef }

1;
