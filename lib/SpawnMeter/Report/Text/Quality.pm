# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Text::Quality;

# What reports say of the quality of results.
#
#   findings(run with `scored` blocks) -> what is doubtful in it, and by how much another run must
#       differ (Analysis::Findings)
#   oddities(run) -> those of them that change the rates of all tests
#   warnings(what, results or points of a sweep) -> findings: that they are busy or disturbed
#   flagged(results) -> a finding: how many passes were flagged, and why; or nothing
#   sign_of_doubt(of these) -> the sign behind their figure
#   of_settings(settings) -> what the way of measuring means for the results: a finding, or nothing
#   mark(result) -> the kind of what is wrong with a result, the worst alone, or undef;
#       word_of_mark(result) -> its word, or an empty text
#   in_lines(findings) -> lines of text; the sign of a kind that marks figures stands at the end
#   busy_words(what, results) -> "other processes used 1.8 CPUs beside all results", or an empty
#       text
#   ending(run) -> a line where the run is incomplete

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max sum);
use SpawnMeter::Analysis::Findings    qw(finding line_of mark_of sign_of);
use SpawnMeter::Analysis::Disturbance qw(disturbs);
use SpawnMeter::Report::Advice        qw(inherited);
use SpawnMeter::Report::Escape        qw(known);
use SpawnMeter::Util::Format          qw(folded rate);

our @EXPORT_OK = qw(findings flagged oddities warnings sign_of_doubt of_settings mark
    word_of_mark busy_words in_lines ending);

use constant {
    MOST  => 9.99,    # a share that is a number
    WIDTH => 78,      # columns
};

sub ending {
    my ($run) = @_;
    return $run->{complete} ? q{} : 'INCOMPLETE: ' . known($run->{reason}) . "\n";
}

sub mark {
    my ($result) = @_;
    return 'busy' if defined $result->{busy};
    return 'disturbed' if $result->{disturbed};
    return 'speeds' if $result->{speeds};
    return 'few' if $result->{few};
    my ($median, $low, $high) = @{$result}{qw(rate low high)};    # of the center
    return defined $low && ($median < $low || $median > $high) ? 'skewed' : undef;
}

sub word_of_mark { my $kind = mark(@_); return defined $kind ? mark_of($kind) : q{} }

# Where several stand for one figure that of the worst
sub sign_of_doubt {
    my (@results) = @_;
    return sign_of('busy') if grep { defined $_->{busy} } @results;
    return (grep { $_->{disturbed} } @results) ? sign_of('disturbed') : q{};
}

sub findings {
    my ($run) = @_;
    my @blocks = @{ $run->{scored} };
    my @results = map { @{ $_->{results} } } @blocks;
    my %with;
    push @{ $with{ mark($_) // q{} } }, $_ for @results;
    my @findings = (warnings('results', @results), oddities($run));
    my $cpus = ($run->{system} || {})->{cpus_online};
    for (grep { $_->{kind} eq 'busy' } @findings) {
        $_->{words} =~ s/ CPUs/ of $cpus CPUs/ if defined $cpus;
        $_->{words} =~ s/ beside all results//;
        $_->{words} .= '  Do not quote these rates.';
    }
    push @findings, finding(speeds => join '; ', map { speeds($_) } @{ $with{speeds} })
        if $with{speeds};
    push @findings, finding(few => 'few passes; a longer --max-time, or a larger -i, makes more')
        if $with{few} || grep { $_->{passes} && !defined $_->{low} } @{ $with{q{}} || [] };
    push @findings, finding(skewed => 'the rate, a median, lies outside the interval of the center')
        if $with{skewed};
    push @findings,
        grep { !$run->{printed} || $_->{kind} ne 'quick' } of_settings($run->{settings});
    push @findings, why_no_index($run);
    my $apart = max(grep { defined } map { $_->{resolves} } @blocks);
    return @findings if !defined $apart || $with{busy};
    my $words =
        $apart > MOST
        ? 'cannot show a difference.'
        : sprintf 'must differ by %.0f %% in a test to be called different.', 100 * $apart;
    return (@findings, finding(resolves => "Another run of this $words"));
}

my %OF_SETTINGS = (
    quick   => finding(quick  => 'few and short passes; without --quick it is more precise.'),
    classic => finding(result => 'geometric mean of the passes without the worst third.'),
);

sub of_settings {
    my ($settings) = @_;
    return $OF_SETTINGS{ ($settings || {})->{name} || q{} } // ();
}

sub warnings {
    my ($what, @results) = @_;
    my $busy = busy_words($what, @results);
    my @disturbed =
        grep { $_->{disturbed} && (!defined $_->{busy} || disturbs(@{$_}{qw(flagged passes)})) }
        @results;
    my @lines = length $busy ? finding(busy => "$busy.") : ();
    return @lines if !grep { !defined $_->{busy} } @disturbed;    # their mark is that of busy
    my $words = sprintf '%d of %d %s: %s', scalar @disturbed, scalar @results, $what,
        disturbances(@results);
    return (@lines, finding(disturbed => $words));
}

# Why passes were flagged, also where they are too few to disturb a result
sub flagged {
    my (@results) = @_;
    return if !grep { $_->{flagged} } @results;
    return finding(flagged => disturbances(@results) . q{.});
}

sub in_lines {
    return map {
        my $sign = sign_of($_->{kind});
        folded(q{}, line_of($_) . (defined $sign ? " ($sign)" : q{}), WIDTH, q{  })
    } @_;
}

sub busy_words {
    my ($what, @results) = @_;
    my @cpus = grep { defined } map { $_->{busy} } @results;
    return q{} if !@cpus;
    return sprintf 'other processes used %.1f CPUs beside %s %s', sum(@cpus) / @cpus,
        @cpus == @results ? 'all' : @cpus . ' of ' . @results, $what;
}

# A loader, a surrounding and an emulated CPU, which move the rates of all tests
sub oddities {
    my ($run) = @_;
    my $system = $run->{system}                                      || {};
    my @loader = grep { $_ ne 'none' } split q{ }, $system->{loader} || q{};
    my @odd = inherited($system);
    my $emulation = $system->{emulation} || 'none';
    return (
        @loader ? finding(loader => join(q{, }, @loader) . ' changed the time of each exec') : (),
        @odd    ? finding(inherited => join('; ', @odd) . ' changed the rates')              : (),
        $emulation eq 'none'
        ? ()
        : finding(emulated => "$emulation; the times are those of the emulator")
    );
}

sub why_no_index {
    my ($run) = @_;
    return finding(no_index => 'the tests ran with options that change their work.')
        if $run->{unscored};
    return if !$run->{index_needs};
    return finding(
        no_index => "--count is below $run->{index_needs}, and such passes have no warm-up.");
}

# "CPU time stolen by the host in 150, stopped by a signal in 3 of 471 passes"
sub disturbances {
    my (@results) = @_;
    my %why;
    for my $reasons (map { $_->{reasons} || {} } @results) {
        $why{$_} += $reasons->{$_} for keys %{$reasons};
    }
    return 'passes were flagged' if !%why;
    my @order = sort { $why{$b} <=> $why{$a} || $a cmp $b } keys %why;
    return
          join(', ', map { "$_ in $why{$_}" } @order) . ' of '
        . sum(map { $_->{passes} } @results)
        . ' passes';
}

# "fork: 29000/s in 70 % of passes and 33000/s in 30 % of passes"
sub speeds {
    my ($result) = @_;
    return "$result->{test}: " . join ' and ', map {
        sprintf '%s in %.0f %% of passes', rate($_->{rate}, $result->{unit}), 100 * $_->{share}
    } @{ $result->{speeds} };
}

1;
