# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Pair;

# Pages that compare: a picture above the text of the report.
#
#   render(comparison) -> the page of two runs, or groups of runs, or of many, whose runs also have
#       page => address of its page relative to this one, or undef
#   forest(caption, words of the axis, rows as those of Analysis::Comparison or Analysis::Pairs) ->
#       HTML: for each number of copies a picture with a row for each difference, in per cent, with
#       its interval; empty without rows
#   ab(summary of Analysis::Pairs) -> page of Report::HTML: likewise of the two sides of a run

use strict;
use warnings;
use Exporter 'import';
use List::Util                      qw(max min);
use SpawnMeter::Analysis::Results   qw(by_copies);
use SpawnMeter::Report::Chart       qw(rows value_scale);
use SpawnMeter::Report::Differences qw(rows_of_table short_names words_of_copies);
use SpawnMeter::Report::HTML::Page  qw(bar heading page preformatted to_copy);
use SpawnMeter::Report::Paired      ();
use SpawnMeter::Report::Verdicts    qw(words_of_block);
use SpawnMeter::Util::Format        qw(change);

our @EXPORT_OK = qw(forest);

use constant {
    WIDTH => 100,    # columns of the text
    DRAWN => 100,    # machines at most in one picture
};

sub render {
    my ($comparison) = @_;
    my @runs = @{ $comparison->{runs} };
    my ($title, $about, @pictures) =
        $comparison->{ranking} ? of_many($comparison, @runs) : of_two($comparison);
    my $text = SpawnMeter::Report::Verdicts::render({ %{$comparison}, width => WIDTH });
    return page($title, $about, join q{}, heading($title, $about, []),
        @pictures, preformatted($text),
        to_copy('As Markdown, to copy', SpawnMeter::Report::Verdicts::markdown($comparison)));
}

sub of_two {
    my ($comparison) = @_;
    my ($sentence) = SpawnMeter::Report::Verdicts::sentences($comparison, short_names($comparison));
    my ($title, $counts) = split /: (?=\d)/, $sentence =~ s/[.]\z//r;
    my $about = join ': ', 'Two runs, or groups of runs, compared', grep { defined } $counts;
    return (
        $title,
        "$about.",
        forest(
            'Difference of each test.',
            'to the right: faster, better',
            rows_of_table($comparison->{pairs}[0])
        ),
        bar(map { warnings_of($_) } @{ $comparison->{runs} })
    );
}

# -> (word, sentence) of each
sub warnings_of {
    my ($run) = @_;
    return
        map { /\A([A-Z]+): (.*)/s ? (ucfirst lc $1, "$run->{called}: $2") : () }
        SpawnMeter::Report::Differences::doubts($run);
}

sub of_many {
    my ($comparison, @runs) = @_;
    my @tables = grep { $_->{tests} } @{ $comparison->{ranking} };
    my $about =
        'Index scores with 1 copy of each test and with a copy on each CPU; more is better.';
    return (
        title_of_many(\@tables, @runs),
        $about,
        '<div class="plots">',
        map({ picture($_, @runs) } @tables), "</div>\n"
    );
}

# The fastest machine, only where no other one can be as fast
sub title_of_many {
    my ($tables, @runs) = @_;
    my $many = @runs . ' machines';
    my ($table) = @{$tables} or return $many;
    my ($first, @others) = @{ $table->{rows} };
    my $alike = grep { ($_->{place} // 0) == 1 } @others;
    return sprintf '%s %s (%s %.1f)', $runs[ $first->{run} ]{called},
        $alike ? "leads $many, and $alike of them can be as fast" : "is the fastest of $many",
        words_of_block($table), $first->{score}{value};
}

# Dots, the best machine first; of a group also its runs.  Two lines overlap where two runs of one
# machine can differ as much
sub picture {
    my ($table, @runs) = @_;
    my @rows;
    my @scored = grep { $_->{score} } @{ $table->{rows} };
    for my $row (@scored) {
        my ($value, @points) = ($row->{score}{value}, @{ $row->{score}{points} || [] });
        my $copies = $table->{each} ? " ($row->{copies})" : q{};
        my %shown = (low => $value * exp -$row->{half} / 2, high => $value * exp $row->{half} / 2);
        @shown{qw(name value)} = ($runs[ $row->{run} ]{called}, $value);
        $shown{behind} = \@points if @points > 1;
        push @rows, { %shown, text => sprintf '%.1f%s', $value, $copies };
    }
    my $caption = words_of_block($table) . ". Machines whose lines overlap can be equally fast.";
    $caption .= ' The best ' . DRAWN . q{.} if @rows > DRAWN;
    splice @rows, DRAWN if @rows > DRAWN;
    my %ticks = (label => sub { $_[0] < 1000 ? $_[0] : $_[0] / 1000 . 'k' });
    return rows(caption => $caption, rows => \@rows, columns => [ 42, 23 ], %ticks);
}

my %CLASS = (faster => 'k0', slower => 'k1');

sub forest {
    my ($caption, $words, @rows) = @_;
    my $html = q{};
    for (by_copies(grep { defined $_->{ratio} } @rows)) {
        my ($copies, @own) = @{$_};
        my @shown;
        for my $row (@own) {
            my $class = $CLASS{ $row->{verdict} };
            my %looks = (class => $class || 'none', hollow => !$class, name => $row->{test});
            @looks{qw(value low high)} =
                map { defined() ? 100 * ($_ - 1) : undef } @{$row}{qw(ratio low high)};
            push @shown, { %looks, text => change($row->{ratio}) =~ s/%/ %/r };
        }
        $html .= rows(
            caption => ucfirst words_of_copies($own[0])
                . ". $caption The line is the 95 % interval; "
                . 'coloured: the verdict is a difference.',
            scale   => scale_of(grep { defined } map { @{$_}{qw(value low high)} } @shown),
            rows    => \@shown,
            words   => "Difference in per cent; $words",
            columns => [ 26, 16 ]
        );
    }
    return $html;
}

# An axis of differences in per cent, which ends at +/- 100 at most
use constant { FAR => 100, NEAR => 1 };

sub scale_of {
    my @ends = map { max(-FAR(), min(FAR, $_)) } -NEAR(), NEAR, @_;
    return value_scale(sub { $_[0] ? sprintf '%+g', $_[0] : 0 }, @ends);
}

sub ab {
    my ($summary) = @_;
    my $words = 'to the right: B is faster';
    return {
        title    => SpawnMeter::Report::Paired::answer($summary),
        about    => 'Two states of one machine, A and B, measured in turn.',
        picture  => forest('How B differs from A.', $words, @{ $summary->{rows} }),
        findings => [ SpawnMeter::Report::Paired::findings($summary) ],
    };
}

1;
