# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Pair;

# Pages that compare: a picture above the text of the report.
#
#   render(comparison) -> the page of two runs, or groups of runs, or of many
#   forest(caption, words of the axis, rows as those of Analysis::Comparison or Analysis::Pairs) ->
#       HTML: for each number of copies a picture with a row for each difference, in per cent, with
#       its interval; empty without rows
#   ab(summary of Analysis::Pairs) -> page of Report::HTML: likewise of the two sides of a run
#   posted(title, name of the run, [machines of it], [posted machines], text of the report) -> the
#       page of ./Run rank: posted machines by the family of their CPU and by years, and a run among
#       them; machines are those of Catalog::Machines

use strict;
use warnings;
use Exporter 'import';
use List::Util                      qw(first max min);
use SpawnMeter::Analysis::Results   qw(by_copies);
use SpawnMeter::Report::Chart       qw(rows value_scale);
use SpawnMeter::Report::Differences qw(rows_of_table short_names words_of_copies);
use SpawnMeter::Report::HTML::Page  qw(bar details page preformatted);
use SpawnMeter::Report::Paired      ();
use SpawnMeter::Report::Verdicts    qw(words_of_block);
use SpawnMeter::Stats::Numbers      qw(median);
use SpawnMeter::Util::Format        qw(change rate);

our @EXPORT_OK = qw(forest);

use constant WIDTH => 100;    # columns of the text

sub render {
    my ($comparison) = @_;
    my @runs = @{ $comparison->{runs} };
    my @parts = $comparison->{ranking} ? of_many($comparison, @runs) : of_two($comparison);
    my $text = SpawnMeter::Report::Verdicts::render({ %{$comparison}, width => WIDTH });
    return page(
        @parts,
        preformatted($text),
        details(
            'As Markdown, to copy',
            preformatted(SpawnMeter::Report::Verdicts::markdown($comparison))
        )
    );
}

sub of_two {
    my ($comparison) = @_;
    my ($sentence) = SpawnMeter::Report::Verdicts::sentences($comparison, short_names($comparison));
    my ($title, $counts) = split /: (?=\d)/, $sentence =~ s/[.]\z//r;
    my $about = join ': ', 'Two runs, or groups of runs, compared', grep { defined } $counts;
    return (
        { title => $title, about => "$about." },
        forest(
            'Difference of each test.',
            'to the right: faster, better',
            rows_of_table($comparison->{pairs}[0])
        ),
        bar(map { warnings_of($_) } @{ $comparison->{runs} })
    );
}

# -> (word, sentence) of each doubt
sub warnings_of {
    my ($run) = @_;
    return
        map { /\A([A-Z]+): (.*)/s ? (ucfirst lc $1, "$run->{called}: $2") : () }
        SpawnMeter::Report::Differences::doubts($run);
}

sub of_many {
    my ($comparison, @runs) = @_;
    my @tables = grep { $_->{tests} } @{ $comparison->{ranking} };
    my %head = (
        title => title_of_many(\@tables, @runs),
        about => 'Index scores with 1 copy of each test and a copy on each CPU; more is better.'
    );
    return (\%head, '<div class="beside">', map({ picture($_, @runs) } @tables), '</div>');
}

# The fastest machine, only where no other one can be as fast
sub title_of_many {
    my ($tables, @runs) = @_;
    my $many = @runs . ' machines';
    my ($table) = grep { $_->{rows}[0]{place} } @{$tables} or return $many;
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
    for my $row (grep { $_->{score} } @{ $table->{rows} }) {
        my ($value, @points) = ($row->{score}{value}, @{ $row->{score}{points} || [] });
        my $copies = $table->{each} ? " ($row->{copies})" : q{};
        my $half = $row->{half};
        my %shown =
            defined $half ? (low => $value * exp -$half / 2, high => $value * exp $half / 2) : ();
        @shown{qw(name value)} = ($runs[ $row->{run} ]{called}, $value);
        $shown{behind} = \@points if @points > 1;
        push @rows, { %shown, text => sprintf '%.1f%s', $value, $copies };
    }
    my $caption = words_of_block($table) . q{.};
    $caption .= ' Machines whose lines overlap can be equally fast.'
        if grep { defined $_->{low} } @rows;
    return rows(caption => $caption, rows => \@rows, columns => [ 42, 23 ], label => \&short);
}

sub short { my ($number) = @_; return $number < 1000 ? $number : $number / 1000 . 'k' }

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

# ---- posted machines ----

use constant YEARS => 5;    # of a row

my @FAMILIES = (
    [ Xeon        => qr/xeon/i ],
    [ EPYC        => qr/epyc/i ],
    [ Arm         => qr/\barm|cortex|neoverse|graviton|ampere|apple|raspberry|aarch64/i ],
    [ 'other AMD' => qr/amd|ryzen|opteron|athlon|phenom/i ],
    [ 'other x86' => qr/intel|celeron|pentium|atom|\bi\d\b|x86|i\d86|amd64/i ],
    [ others      => qr/^/ ],
);
my @BLOCKS = (
    [ '1 copy'             => sub { $_[0]{copies} eq '1' } ],
    [ 'A copy on each CPU' => sub { $_[0]{copies} > 1 && $_[0]{copies} eq $_[0]{cpus} } ],
);

sub posted {
    my ($title, $name, $own, $posted, $text) = @_;
    my $about = 'A grey dot is a machine that somebody posted, a ring the median of its row.';
    my @pictures;
    for my $block (@BLOCKS) {
        my ($words, $belongs) = @{$block};
        my @machines = map { [ grep { $belongs->($_) } @{$_} ] } $own, $posted;
        push @pictures, rates("$words, $_", $_, $name, @machines) for qw(execl spawn);
    }
    return page({ title => $title, about => $about }, @pictures, preformatted($text));
}

sub rates {
    my ($caption, $test, $name, $own, $posted) = @_;
    my @known = grep { defined $_->{rates}{$test} } @{$posted} or return q{};
    my @rows = map { {
        name  => $name,
        value => $_->{rates}{$test},
        text  => rate($_->{rates}{$test}, 'lps'),
        class => 'k1'
    } } grep { defined $_->{rates}{$test} } @{$own};
    my %of;
    push @{ $of{ row_of($_) } }, $_->{rates}{$test} for @known;
    for my $row (sort keys %of) {
        my %shown = (name => $row =~ s/^\d+ //r, behind => $of{$row}, hollow => 1, class => 'none');
        my $count = @{ $of{$row} } == 1 ? '1 machine' : @{ $of{$row} } . ' machines';
        push @rows, { %shown, value => median(@{ $of{$row} }), text => $count };
    }
    return rows(
        caption => "$caption: creations per second; to the right: faster.",
        rows    => \@rows,
        label   => \&short,
        columns => [ 34, 20 ],
    );
}

# "1 EPYC 2021-2025"; the number is for the order
sub row_of {
    my ($machine) = @_;
    my $what = "$machine->{cpu} $machine->{arch}";
    my $i = first { $what =~ $FAMILIES[$_][1] } 0 .. $#FAMILIES;
    my $years = 'year unknown';
    if ($machine->{year} =~ /^\d+\z/a) {
        my $end = YEARS * int(($machine->{year} + YEARS - 1) / YEARS);
        $years = $end - YEARS + 1 . "-$end";
    }
    return "$i $FAMILIES[$i][0] $years";
}

1;
