# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML;

# render(run with `scored` blocks) -> one HTML page that needs nothing from elsewhere: what the run
#       shows as its title, a picture, what is doubtful, the results, the machine.
#
# Text from a machine or a file passes through html() (Report::Escape), so it is never
# markup.
#
# The run also has
#   text => its report as text
#   page => of a run without results of tests: { title, about => what the page is, picture and body
#       => HTML, findings }
#   machines => [posted machines of Catalog::Machines], or undef

use strict;
use warnings;
use POSIX                             ();
use SpawnMeter::Analysis::Findings    qw(finding finding_of heads line_of warns);
use SpawnMeter::Analysis::Fingerprint qw(cpu);
use SpawnMeter::Analysis::Results     qw(grouped);
use SpawnMeter::Analysis::Score       qw(index_as_printed);
use SpawnMeter::Report::Advice        qw(fact_in_words);
use SpawnMeter::Report::Chart         qw(rows);
use SpawnMeter::Report::Differences   qw(name_of_index);
use SpawnMeter::Report::Columns       qw(column in_words);
use SpawnMeter::Report::Escape        qw(html known prose);
use SpawnMeter::Report::HTML::Page    qw(bar details page preformatted section soft table);
use SpawnMeter::Report::Text          qw(misprint way_of_measuring);
use SpawnMeter::Report::Text::Quality qw(findings flagged oddities word_of_mark);
use SpawnMeter::Report::Text::Screen  qw(has_range machine_of);
use SpawnMeter::Util::Format          qw(copies percent rate thousands);

use constant {
    SURE => 0.25,    # widest interval, as a share, of a rate that stands in a title
};

sub render {
    my ($run) = @_;
    my %page = %{ $run->{page} || page_of_tests($run) };
    my @incomplete = $run->{complete} ? () : (Incomplete => known($run->{reason}));
    my %head = (lines => [ measured($run), machine_of($run) ], command => $run->{command});
    my @body = ($page{picture} // q{}, doubts($page{findings}, @incomplete), $page{body} // q{});
    push @body, settings($run);
    push @body,
        details(
        'The report as text, with all columns: a block of Markdown, to copy',
        preformatted("```\n" . $run->{text} =~ s{\A\n+}{}r . "```\n")
        ) if defined $run->{text} && !$run->{page};    # which shows it
    return page({ %page, %head }, @body);
}

# By what, on which host and when
sub measured {
    my ($run) = @_;
    my $started = $run->{started};
    return join '; ',
        grep { defined && length }
        $run->{suite} =~ /^\d/ ? "SpawnMeter $run->{suite}" : $run->{suite},
        defined $run->{host}   ? "host $run->{host}"        : undef,
        defined $run->{label}  ? "Label: $run->{label}"     : undef,
        defined $started       ? POSIX::strftime('%Y-%m-%d %H:%M UTC', gmtime $started) : undef;
}

# Those that warn in one bar; pairs: of a word and a sentence
sub doubts {
    my ($findings, @pairs) = @_;
    my @others;
    for (grouped(words => @{ $findings || [] })) {
        my ($words, $first, @more) = @{$_};
        my ($kind, $where) = @{$first}{qw(kind where)};
        $where .= ' and ' . (@more > 1 ? @more . ' more' : $more[0]{where}) if @more && $where;
        my $finding = finding($kind, $words, $where);
        if (warns($kind)) {
            push @pairs, ucfirst lc heads($kind), line_of({ %{$finding}, kind => 'remark' });
        } else {
            push @others, prose(line_of($finding));
        }
    }
    return bar(@pairs) . (@others ? soft(join '<br>', @others) : q{});
}

# ---- the page of a run of tests ----

# What the columns mean
my $MEANING = <<'END';
Rate: the median of the passes that count, of classic runs their geometric mean. +/-: half of the
95 % interval of their trimmed mean; other runs can differ by more. Blocked: time of the creating
call, in which the parent does nothing else. Faults: page faults.
END

sub page_of_tests {
    my ($run) = @_;
    my @blocks = @{ $run->{scored} };
    my $about = 'Rates of tests: ' . join ', ', map { copies($_->{copies}) } @blocks;
    my @notes = @{ ($run->{posted} || {})->{notes} || [] };
    push @notes, map { misprint($_) } @{ $run->{misprints} || [] };
    my @findings = findings($run);
    push @findings, flagged(map { @{ $_->{results} } } @blocks)
        if !grep { $_->{kind} eq 'disturbed' } @findings;
    push @findings, map { finding_of(s/\s+\z//r) } @notes;
    my $body = join q{}, map { block($run, $_) } @blocks;
    return {
        title    => title($run),
        about    => @blocks ? "$about." : 'A run without results.',
        picture  => rates($run),
        findings => \@findings,
        body     => $body . (@blocks ? soft($MEANING) : q{}),
    };
}

# What the first results show, where they may claim that
sub title {
    my ($run) = @_;
    my $machine = machine($run);
    my ($block) = @{ $run->{scored} };
    my @results = oddities($run) || !$block ? () : @{ $block->{results} };
    my ($result) = ((grep { $_->{test} eq 'fork' } @results), @results);
    my @with = @{ $run->{options} || [] } ? "with @{ $run->{options} }" : ();
    push @with, 'with ' . copies($block->{copies}) if $block && ($block->{copies} || 1) > 1;
    return join q{ }, "How fast $machine creates processes", @with
        if !$result || !is_clear($result);
    return join q{ }, "\u$machine makes", thousands($result->{rate}), 'forks a second', @with
        if $result->{test} eq 'fork' && ($result->{unit} // q{}) eq 'lps';
    return join q{ }, "\u$machine: $result->{test}", rate(@{$result}{qw(rate unit)}), @with;
}

# Figures of posts have no passes
sub is_clear {
    my ($result) = @_;
    return if defined $result->{busy} || !defined $result->{rate};
    return !$result->{used}           || ($result->{plus_minus} // 1) <= SURE;
}

# Dots of all results that are rates of creations or calls, on one axis
sub rates {
    my ($run) = @_;
    my @rows;
    for my $block (@{ $run->{scored} }) {
        my @known =
            grep { defined $_->{rate} && ($_->{unit} // q{}) eq 'lps' } @{ $block->{results} }
            or next;
        push @rows, { head => ucfirst copies($block->{copies}) },
            map { row_of_rate($run, $block, $_) } @known;
    }
    my $caption = 'Rate of each test.';
    $caption .= ' The line is the 95 % interval.' if grep { defined $_->{low} } @rows;
    $caption .= ' Hollow: disturbed or busy.' if grep     { $_->{hollow} } @rows;
    $caption .= ' Grey: posted machines, with as many copies.'
        if grep { @{ $_->{behind} || [] } } @rows;
    return rows(
        caption => $caption,
        rows    => \@rows,
        label   => sub { rate($_[0], 'lps') },
        columns => [ 22, 36 ],
        words   => 'To the right: faster'
    );
}

sub row_of_rate {
    my ($run, $block, $result) = @_;
    my ($test, $rate, $width) = @{$result}{qw(test rate plus_minus)};
    my $copies = defined $result->{index} ? $block->{copies} : 0;
    my @machines = grep { $copies && $_->{copies} eq $copies } @{ $run->{machines} || [] };
    my $text = join ' +/- ', rate($rate, 'lps'), map { percent($_) } grep { defined } $width;
    my %row = (name => $test, text => $text, value => $rate, hollow => $result->{disturbed});
    $row{behind} = [ grep { defined } map { $_->{rates}{$test} } @machines ];
    return { %row, map { $_ => $result->{$_} } qw(low high) };
}

# ---- the results at one number of copies ---------------------------------------------

# Posted texts have few of these
my @COLUMNS = qw(result plus_minus note p50_us p99_us blocked_p50_us faults index);
my %HEAD = (result => 'Rate', note => 'Note');

sub cell {
    my ($result, $name) = @_;
    return word_of_mark($result) if $name eq 'note';
    return sprintf '%.1f', index_as_printed($result, '5')
        if $name eq 'index' && defined $result->{index};
    return in_words($result, $name);
}

sub block {
    my ($run, $block) = @_;
    my @results = @{ $block->{results} };
    my @lost = map { "$_->{test}: $_->{status}: " . known($_->{reason}) } @{ $block->{lost} || [] };
    my $is_busy = grep { defined $_->{busy} } @results;
    my @complete = grep { !$is_busy && !$_->{partial} } @{ $block->{tables} || [] };
    my @parts = map { score($_) } reverse @complete;
    push @parts, columns(@results) if @results;
    push @parts, map({ soft(html($_)) } @lost), passes(@results);
    return section(ucfirst copies($block->{copies}), join q{}, @parts);
}

sub score {
    my ($table) = @_;
    my $words = ucfirst name_of_index($table->{title}) . sprintf ' %.1f', $table->{score};
    my $range = has_range($table) ? sprintf ' (%.1f to %.1f)', @{$table}{qw(low high)} : q{};
    return '<p><b>' . html($words) . "</b>$range</p>\n";
}

# A table of the columns that any result has, and of the notes that not all have
sub columns {
    my (@results) = @_;
    my @known = grep { has_column(\@results, $_) } @COLUMNS;
    my @rows;
    for my $result (@results) {
        my %cell = map { $_ => cell($result, $_) } @known;
        $cell{note} = \('<span class="bad">' . html($cell{note}) . '</span>')
            if length($cell{note} // q{});
        push @rows, [ $result->{test}, @cell{@known} ];
    }
    return table('Results', [ 'Test', map { $HEAD{$_} // column($_)->{head} } @known ], \@rows);
}

sub has_column {
    my ($results, $name) = @_;
    my %seen = map { cell($_, $name) => 1 } @{$results};
    return if $name eq 'note' && keys %seen == 1;
    return scalar grep { !/\A-?\z/ } keys %seen;
}

# Every pass, folded away; empty where no result has them
sub passes {
    my (@results) = @_;
    my $of_median = sub { my ($rate, $median) = @_; return 100 * ($rate / $median - 1) };
    my @rows;
    for my $result (grep { @{ $_->{rates} || [] } && $_->{rate} } @results) {
        my ($rate, $width) = @{$result}{qw(rate plus_minus)};
        my %row = (name => $result->{test}, value => 0, text => 'too few passes');
        $row{text} = '+/- ' . percent($width) if defined $width;
        $row{behind} = [ map { $of_median->($_, $rate) } @{ $result->{rates} } ];
        $row{$_} = $of_median->($result->{$_}, $rate)
            for grep { defined $result->{$_} } qw(low high);
        push @rows, \%row;
    }
    my $picture = rows(
        caption => 'Passes of each test. A grey dot is a pass, the blue one the rate; the line is '
            . 'the 95 % interval.',
        rows    => \@rows,
        label   => sub { $_[0] ? sprintf '%+g', $_[0] : 0 },
        columns => [ 22, 18 ],
        words   => 'Difference from the rate in per cent; to the right: faster'
    );
    return @rows ? details('All passes', $picture) : q{};
}

# ---- the machine ---------------------------------------------------------------------

# "a 2-CPU AMD EPYC virtual machine", as far as that is known
sub machine {
    my ($run) = @_;
    my ($cpus, $hypervisor) = @{ $run->{system} || {} }{qw(cpus_online hypervisor)};
    my @words = grep { defined } $cpus ? "$cpus-CPU" : undef, cpu($run);
    push @words, 'virtual' if ($hypervisor || 'none') ne 'none';
    return join q{ }, "@words" =~ /\A(?:8|11\b|18\b|[aeioAEIO])/ ? 'an' : 'a', @words, 'machine';
}

# The facts that a page shows at once; all others are folded away
my @SHOWN = qw(cpu_model cpus_online system kernel_release architecture distribution hypervisor
    governor);

sub settings {
    my ($run) = @_;
    my $system = $run->{system} || {};
    my $facts = sub {
        return map {
            my $words = ucfirst SpawnMeter::Analysis::Fingerprint::words_of($_);
            [ $words =~ s/^Cpu/CPU/r, fact_in_words($_, $system) ]
        } @_;
    };
    my @first = $facts->(grep { defined $system->{$_} } @SHOWN);
    push @first, [ Build => join ', ', @{ $run->{build} } ] if $run->{build};
    my @against =
        ($system->{vulnerabilities} // q{}) =~ /(?:\A|; )([a-z]\w*): (?:KVM: )?Mitigation/g;
    push @first, [ Mitigations => 'against ' . join q{, }, @against ] if @against;
    my @more = map { [ Condition => $_ ] } @{ $run->{conditions} || [] };
    push @more, [ Measured => ucfirst way_of_measuring($run->{settings}) ]
        if $run->{settings} && !$run->{printed};
    my %is_shown = map { $_ => 1 } @SHOWN;
    push @more, $facts->(grep { !$is_shown{$_} } sort keys %{$system});
    my $title = 'Settings and machine';
    my $html = table($title, undef, \@first);
    $html .= details('All settings and facts', table($title, undef, \@more)) if @more;
    return section($title, $html);
}

1;
