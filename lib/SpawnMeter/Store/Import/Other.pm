# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Other;

# The lines of a posted text that are none of a report: what looks like a part of one is
# listed, what stands before a table names it.  Pure functions.
#
#   read_other(state of Import::Run, text) -> undef where the line is no part of a report, or
#       what is wrong with it: a clause, or { why, aside => true: it is not in a report's
#       format, as in a table of differences }
#   looks_like_report(text) -> true where it has words that only a report has
#   forget_label(state, line): words that are far from the next table do not name it

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::Import::Own    qw(continues_head);
use SpawnMeter::Store::Import::Run    qw(current_block begin_block new_run);
use SpawnMeter::Store::Import::Tables qw(result_parts row_parts read_result read_row);
use SpawnMeter::Store::Import::Titles qw(split_title resembles);

our @EXPORT_OK = qw(read_other looks_like_report forget_label);

use constant {
    LABEL_MAX  => 60,    # characters of the words that name a table
    LABEL_AWAY => 4,     # lines between them and the table
};

# Such a line must be readable.  The digits may be those of any script.
my $OF_A_REPORT = qr/Benchmark Run:|running \p{Nd}+ parallel|parallel cop|CPUs? in system/;
$OF_A_REPORT = qr/$OF_A_REPORT|Index Score|FINAL SCORE|BASELINE +RESULT|\p{Nd} samples?\)/;

# Lines of a head that say nothing of the run
my $OF_A_HEAD = qr{\bup\b.*\buser|interactive users|load average|^/|^l?rwx|^[\d:]+ up }a;

my $UNIT = qr/(?:lps|lpm|KBps|MWIPS|MFLOPS|fps)/;
my $NUMBER = qr/[+-]?\d[\d.,]*/a;

sub looks_like_report { my ($text) = @_; return $text =~ $OF_A_REPORT }

sub read_other {
    my ($state, $text) = @_;
    return if continues_head($state, $text);
    my ($before, $row) = $text =~ /^(.*?[^ ]) *($state->{titles}{any}.*)$/;
    return if defined $before && $before =~ /^\d+ x$/a;    # the passes, while they run
    return read_labelled($state, $before, $row)
        if defined $before && is_labelled($state, $before, $row);
    return 'it looks like a part of a report, but has another format' if looks_like_report($text);
    my ($test) = split_title($state->{titles}, $text);
    my $problem = $test ? problem_of_titled($state, $text) : problem_of_untitled($state, $text);
    $problem = aside('it has a test\'s title and numbers, but is no line of a report')
        if !$problem && defined $before && $row =~ /\d[.,]* *(?:$UNIT|%)?$/a;
    note_label($state, $text) if !$problem;
    return $problem;
}

sub aside { my ($why) = @_; return { why => $why, aside => 1 } }

sub problem_of_titled {
    my ($state, $text) = @_;
    if ($text !~ /\p{Nd}|nan|inf/i || $text =~ /^$state->{titles}{any}$/) {
        return ($state->{previous} || q{}) =~ /^(?:result|row)$/ ? 'it has no numbers' : undef;
    }
    my $why = 'it begins with a test\'s title, but its numbers cannot be read';
    return $why if defined $state->{table} || $text =~ /\d *$UNIT\b/a;
    return aside($why);
}

sub problem_of_untitled {
    my ($state, $text) = @_;
    return 'it is in an index table, but is not a row of it'
        if defined $state->{table} && $text =~ /\p{Nd}$/;
    return 'the words before its numbers are not the title of a test'
        if $text =~ /^\S.{2,60}? +$NUMBER *$UNIT\b/;
    my ($title) = $text =~ /^([A-Za-z][^|]{3,60}?)(?: +(?:[|] *)?$NUMBER%?){1,8}$/;
    return if !defined $title || !defined resembles($state->{titles}, $title);
    return aside('it resembles a row of a table of results, but cannot be read');
}

# ---- labels -----------------------------------------------------------------------------

sub note_label {
    my ($state, $text) = @_;
    my $label = $text =~ s/^[\s*#_=-]+|(?<![\s*#_:=-])[\s*#_:=-]+$//gr;
    return if length $label > LABEL_MAX || $label !~ /\p{L}/ || $label =~ $OF_A_HEAD;
    return if ($state->{previous} || q{}) =~ /^(?:cpu|fact)$/;
    @{$state}{qw(label label_line)} = ($label, $state->{line});
    return;
}

sub forget_label {
    my ($state, $line) = @_;
    $state->{label} = undef
        if defined $state->{label} && $line - $state->{label_line} > LABEL_AWAY;
    return;
}

# "before : Execl Throughput 43.0 2868.8 667.2"
sub is_labelled {
    my ($state, $before, $row) = @_;
    return if $before !~ /^\(?[\w.].{0,40}[:)\]]$/;
    my $titles = $state->{titles};
    return result_parts($titles, $row) || row_parts($titles, $row);
}

# A test that the block has already begins the run with this label
sub read_labelled {
    my ($state, $before, $row) = @_;
    my $titles = $state->{titles};
    my $label = $before =~ s/ *:$//r;
    my ($test) = split_title($titles, $row);
    my $block = current_block($state);
    if ($block->{cells}{ $test->{name} }) {
        my ($table, $copies) = ($state->{table}, $block->{form} ? $block->{copies} : 0);
        new_run($state);
        begin_block($state, label => $label, copies => $copies, form => $block->{form});
        $state->{table} = $table;
    } elsif (!@{ $block->{order} }) {
        $block->{label} = $label;
    }
    my $found = result_parts($titles, $row);
    return $found ? read_result($state, $found) : read_row($state, row_parts($titles, $row));
}

1;
