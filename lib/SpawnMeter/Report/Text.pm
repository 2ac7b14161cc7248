# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Text;

# The text report.
#
#   render(run with `scored` blocks, brief => true for a short head, verbose => true for all that is
#       known, columns => of the page, summary => true for the screen below the classic suite's
#       report alone) -> text;  head(run, likewise) -> its head alone
#   way_of_measuring(settings) -> how the run was measured, in words
#   misprint(of Analysis::Score) -> a sentence
#
# Its shapes are the classic suite's to the byte, since scripts read them.  New lines are
# before the dashes or after the index scores, never contain the word "Score", and have a
# unit at each number: three bare numbers in a row would be read as a row of an index table.

use strict;
use warnings;
use Exporter 'import';
use POSIX                             ();
use SpawnMeter::Analysis::Findings    qw(line_of);
use SpawnMeter::Analysis::Quantity    qw(periods words_of_period);
use SpawnMeter::Analysis::Score       qw(index_as_printed);
use SpawnMeter::Report::Columns       qw(table_of PERCENTILES);
use SpawnMeter::Report::Escape        qw(known);
use SpawnMeter::Report::Text::Quality qw(flagged in_lines oddities word_of_mark);
use SpawnMeter::Report::Text::Screen  qw(is_virtual screen);
use SpawnMeter::Util::Format          qw(copies duration folded rate);

our @EXPORT_OK = qw(head misprint way_of_measuring);

use constant {
    HEAD  => 80,    # columns
    WIDTH => 78,
};

sub render {
    my ($run, %options) = @_;
    my $screen = screen($run, $options{columns} || HEAD) . footer($run, %options);
    return $screen if $options{summary};
    return join q{}, head($run, %options), map({ block($run, $_, %options) } @{ $run->{scored} }),
        $screen;
}

# ---- the head: what was measured, where and how ----

sub head {
    my ($run, %options) = @_;
    my ($own, $system) = @{$run}{qw(posted system)};
    my $is_posted = $run->{printed} || !grep { defined } values %{ $system || {} };
    my $title = !$is_posted         || $own ? "SpawnMeter (Version $run->{suite})" : $run->{suite};
    $title .= ', imported' . (defined $run->{source} ? " from $run->{source}" : q{}) if $is_posted;
    my @lines = machine($run);
    @lines = grep { !/^CPU: / } @lines if $options{brief} && !$is_posted;
    push @lines, how($run, $options{verbose}) if !$options{brief} && !$is_posted;
    push @lines, map { @{ $_ || [] } } $own && $own->{head}, $run->{conditions} if $is_posted;
    return layout($title, q{}, @lines);
}

# Long lines continue under their text
sub layout {
    return join q{}, "\n", q{=} x 72, "\n",
        map({ length() ? folded(q{   }, $_, HEAD, q{ } x 7) : "\n" } @_), "\n";
}

# What is known of it
sub machine {
    my ($run) = @_;
    my $system = $run->{system} || {};
    my @cpus = grep { defined } @{$system}{qw(cpus_online cpus_usable)};
    my $usable = @cpus == 2 ? " ($cpus[0] CPUs, $cpus[1] usable)" : q{};
    my $virtual = is_virtual($run) ? '; a virtual machine' : q{};
    my @names = ($run->{host}, $system->{distribution} || $system->{system});
    my @kernel = @{$system}{qw(system kernel_release kernel_version)};
    my @facts = (
        [ System  => join ': ', grep { defined } @names ],
        [ OS      => join ' -- ', grep { defined } @kernel ],
        [ Machine => map { $_ . $usable } grep { defined } $system->{architecture} ],
        [ CPU     => map { $_ . $virtual } grep { defined } $system->{cpu_model} ],
        [ Label   => $run->{label} ],
    );
    return map({ "$_->[0]: $_->[1]" } grep { length $_->[1] // q{} } @facts),
        map { line_of($_) } oddities($run);
}

sub how {
    my ($run, $verbose) = @_;
    my @build = @{ $run->{build} || [] };
    my @lines = @build ? 'Build: ' . ($verbose ? join '; ', @build : short(@build)) : ();
    push @lines, 'Measured: ' . way_of_measuring($run->{settings}) if $verbose && $run->{settings};
    push @lines, "Command: $run->{command}" if defined $run->{command};
    return @lines;
}

# What moves results most, in one line: compiler, flags, libc, and how programs are linked
sub short {
    my ($compiler, @others) = @_;
    my $built = $compiler =~ s/ [(][^()]*[)]|;.*//gr;
    return $built if !@others;
    return "$built; " . $others[-1] =~ s/, position-independent| [(]bound .*//gr;
}

# The settings that are known, by name; most are options
sub way_of_measuring {
    my ($settings) = @_;
    my ($name, @others) = ('name', grep { $_ ne 'name' } sort keys %{$settings});
    return join ', ', known($settings->{$name}),
        map { tr/_/ /r . " $settings->{$_}" } grep { length($settings->{$_} // q{}) } @others;
}

# ---- the results at one number of copies ---------------------------------------------

# Below the indices: how precise each result is, its rate without the machine's drift, the time of
# one process, and a word where something is wrong
my @COLUMNS = (
    [ 'plus_minus', 7, '+/-', 'RESULT' ],
    [ 'drift_corrected', 11, 'rate' ],
    [ 'drift_corrected_plus_minus', 8, '+/-', 'drift-corrected' ],
    [ 'p99_us', 10 ],
    [ 'faults', 8, 'faults', 'one process' ],
    [ 'blocked_p50_us', 10, 'blocked', 'parent' ],
    [ sub { my $word = word_of_mark($_[0]); return length $word ? "  $word" : q{} }, 0, q{} ],
);

sub block {
    my ($run, $block, %options) = @_;
    my $text = q{-} x 72 . "\n" . period($block) . system_line($run, $block) . "\n";

    # what an imported text has only in its index table stands there again
    my %in_table = map { $_->{test} => 1 } map { @{ $_->{rows} } } @{ $block->{tables} };
    $text .= result_line($_)
        for grep { !$_->{tabled} || !$in_table{ $_->{test} } } @{ $block->{results} };
    $text .= "\n";
    $text .= index_table($_) for @{ $block->{tables} };
    my @results = @{ $block->{results} };
    return $text . parts(@results) if !$options{verbose};
    return $text . table_of(\@COLUMNS, @results) . parts(@results) . details($block);
}

sub period {
    my ($block) = @_;
    my ($started, $ended) = @{$block}{qw(started ended)};
    return POSIX::strftime('Benchmark Run: %a %b %d %Y %H:%M:%S', localtime $started)
        . POSIX::strftime(" - %H:%M:%S\n", localtime($ended || $started))
        if defined $started;
    return q{} if !defined $block->{date};
    return "Benchmark Run: $block->{date} $block->{from} - $block->{to}\n";
}

sub system_line {
    my ($run, $block) = @_;
    return "(number of copies unknown: the text does not state it)\n" if !$block->{copies};
    my $copies = copies($block->{copies}) =~ s/ / parallel /r;
    my $cpus = $block->{cpus} || $run->{system}{cpus_online}
        or return "running $copies of tests\n";
    return sprintf "%d CPU%s in system; running %s of tests\n", $cpus, $cpus == 1 ? q{} : 's',
        $copies;
}

sub result_line {
    my ($result) = @_;
    my $text = sprintf '%-40s %12.1f %-5s', @{$result}{qw(title rate unit)};
    return "$text\n" if !defined $result->{seconds};
    return sprintf "%s (%.1f s, %d samples)\n", $text, @{$result}{qw(seconds passes)};
}

sub index_table {
    my ($table) = @_;
    return index_table_of_4_1($table) if $table->{form} ne '5';
    my $kind = $table->{partial} ? 'Partial Index' : 'Index Values';
    my $text = sprintf "%-40s %12s %12s %8s\n", "$table->{title} $kind", qw(BASELINE RESULT INDEX);
    $text .= sprintf "%-40s %12.1f %12.1f %8.1f\n", @{$_}{qw(title baseline rate)},
        index_as_printed($_, $table->{form})
        for @{ $table->{rows} };
    $text .= sprintf "%-66s %8s\n", q{}, q{=} x 8;
    my $words = "$table->{title} Index Score" . ($table->{partial} ? ' (Partial Only)' : q{});
    return $text . sprintf("%-66s %8.1f\n", $words, $table->{score}) . "\n";
}

# The index table of 4.1, and of 3.11, whose score is an arithmetic mean
sub index_table_of_4_1 {
    my ($table) = @_;
    my $text = sprintf "%-43s %8s %10s %10s\n\n", qw(TEST BASELINE RESULT INDEX);
    $text .= sprintf "%-40s %11.1f %10.1f %10.1f\n", @{$_}{qw(title baseline rate)},
        index_as_printed($_, $table->{form})
        for @{ $table->{rows} };
    my $words = $table->{form} eq '3.11' ? '     AVERAGE' : '     FINAL SCORE';
    $words .= ' (Partial Only)' if $table->{partial};
    return $text . sprintf "%-65s%9s\n%-64s%10.1f\n\n", q{}, q{=} x 9, $words, $table->{score};
}

# ---- with -v, of the results at one number of copies ---------------------------------

my @DETAILS = (
    [ 'best', 10, 'best' ],
    [ 'cpu_us', 8 ],
    [ 'machine_cpu_us', 9, 'machine' ],
    map { [ "${_}_us", 8 ] } PERCENTILES
);

# Best pass, CPU time and latency of each result, and how the machine moved
sub details {
    my ($block) = @_;
    my @results = grep { $_->{used} } @{ $block->{results} } or return q{};
    return join q{}, table_of(\@DETAILS, @results) =~ s/\n\n\z/\n/r,
        percentiles('The creating call, in the parent', blocked => grep { $_->{blocked} } @results),
        (map { folded(q{}, $_, WIDTH, q{  }) } reference($block)),
        in_lines(flagged(@{ $block->{results} })), "\n";
}

# What is measured on request: the target's start-up, writes to copied pages, placement
sub parts {
    my (@results) = @_;
    my @started = grep { $_->{start} } @results;
    my $text = q{};
    for my $period (periods()) {
        my $title = 'The start-up of the target: ' . words_of_period($period);
        $text .= percentiles($title, "start_$period" => grep { $_->{start}{$period} } @started);
    }
    $text .= sprintf "%s: a write to a copied page takes %s in the parent, %s in the child\n",
        $_->{test}, map({ duration($_) } @{ $_->{fault} })
        for grep { $_->{fault} } @results;
    $text .= sprintf "%s: %.0f %% of the children began on the CPU of the parent\n", $_->{test},
        100 * $_->{placement}
        for grep { defined $_->{placement} } @results;
    return length $text ? "$text\n" : q{};
}

# A table of these columns of Report::Columns; empty without results
sub percentiles {
    my ($title, $name, @results) = @_;
    my $table = table_of([ map { [ "${name}_${_}_us", 8, $_ ] } PERCENTILES ], @results);
    return length $table ? "$title\n" . $table =~ s/\n\z//r : q{};
}

sub reference {
    my ($block) = @_;
    my $rate = $block->{reference} or return;
    return 'reference: page faults of both kinds ' . rate($rate);
}

# ---- what stands under the screen ----------------------------------------------------

sub footer {
    my ($run, %options) = @_;
    return join q{}, map { folded(q{}, misprint($_), WIDTH, q{  }) } @{ $run->{misprints} || [] }
        if $run->{printed};
    return q{} if $options{brief} || !grep { @{ $_->{results} } } @{ $run->{scored} };
    my $name = $run->{shown_as} // $run->{name} // 'latest';
    my $all =
        $options{verbose}
        ? 'What the columns mean'
        : "All columns: ./Run show -v $name   what they mean";
    return folded(q{}, "$all: ./Run help report", $options{columns} || HEAD);
}

sub misprint {
    my ($misprint) = @_;
    return sprintf "The printed score of %s, %s, is %s; its results give %.1f.\n",
        $misprint->{title}, copies($misprint->{copies}), @{$misprint}{qw(printed computed)};
}

1;
