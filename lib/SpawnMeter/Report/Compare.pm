package SpawnMeter::Report::Compare;

# render(comparison, form) -> text.  form: text (72 columns, for mails), markdown,
# csv or json.
#
#   comparison: { machines => [machine, ...] (the first is what the others are
#       compared with), pairs => [ what SpawnMeter::Analysis::Comparison::compare says of each of
#       the others ], differences => [ likewise ], least => [ { share, run } or undef
#       for each of the others ], assumed => the share taken where it is undef, unread => [texts] }

use strict;
use warnings;
use SpawnMeter::Util::Json qw(pretty);
use SpawnMeter::Report::CSV;
use SpawnMeter::Util::Format qw(rate folded);

use constant {
    WIDTH   => 72,
    LONG    => 160,    # characters of two values from which on only what differs is shown
    COLUMNS => 5,      # of other machines in a block
    LINE    => "%-11s %9s %9s %7s %12s %s\n",
};

my %MARK = ('no difference shown' => '~', 'cannot be told' => '?', faster => q{}, slower => q{});
my %FORM = (text => \&text, markdown => \&markdown, csv => \&csv, json => \&json);

sub new { my ($class) = @_; return bless {}, $class }

sub render {
    my ($self, $comparison, $form) = @_;
    return $FORM{$form}->($comparison);
}

sub known { my ($value) = @_; return defined $value && length $value ? plain($value) : 'unknown' }

# Nothing that a terminal obeys, and nothing but ASCII in a mail's table
sub plain {
    my ($text) = @_;
    $text =~
        s/([^\x20-\x7e])/ord $1 < 256 ? sprintf '\\x%02x', ord $1 : sprintf '\\x{%x}', ord $1/ge;
    return $text;
}

sub letter { my ($i) = @_; return $i < 26 ? chr(65 + $i) : 'M' . ($i + 1) }

sub date {
    my ($run) = @_;
    my @t = gmtime($run->{started} || return q{});
    return sprintf '; %04d-%02d-%02d', $t[5] + 1900, $t[4] + 1, $t[3];
}

# What each of them is: name, suite, system, compiler and flags, command line
sub heads {
    my ($names, @machines) = @_;
    my $text = q{};
    for my $i (0 .. $#machines) {
        my $run = $machines[$i]{run};
        my $s = $run->{system} || {};
        my $mark = "  $names->[$i]: ";
        $text .= folded($mark, plain($machines[$i]{name}) . date($run), WIDTH);
        my $under = q{ } x length $mark;
        my $suite = $run->{suite} =~ /^\d/ ? "SpawnMeter $run->{suite}" : $run->{suite};
        my @what = (
            $suite,
            grep { defined }
                join(q{ }, grep { defined } @{$s}{qw(system kernel_release architecture)}),
            $s->{cpu_model}
        );
        $text .= folded($under, plain(join '; ', grep { length } @what), WIDTH);
        $text .= folded($under, plain(join '; ', @{ $run->{build} }), WIDTH)
            if @{ $run->{build} || [] };
        $text .= folded($under, plain($run->{command}), WIDTH) if defined $run->{command};
        $text .= folded($under, plain($_), WIDTH) for @{ $run->{conditions} || [] };
    }
    return $text;
}

sub text {
    my ($c) = @_;
    my @machines = @{ $c->{machines} };
    my @names = @machines == 2 ? qw(old new) : map { letter($_) } 0 .. $#machines;
    my $text = heads(\@names, @machines) . "\n";
    for my $i (0 .. $#{ $c->{pairs} }) {
        my $of = @machines == 2 ? q{} : " of $names[$i + 1] from $names[0]";
        $text .= told_differences($of, $c->{differences}[$i]);
        $text .= least($of, $c->{least}[$i], $c->{assumed})
            if $c->{pairs}[$i]{rows} && grep { $_->{verdict} ne 'cannot be told' }
            @{ $c->{pairs}[$i]{rows} };
    }
    $text .= @machines == 2 ? two($c) : many($c, @names);
    return $text . reasons($c);
}

sub told_differences {
    my ($of, $found) = @_;
    my $text = q{};
    my %title = (
        incomparable => "Differences$of that make the results those of different things:",
        notable      => "Other differences$of:",
    );
    for my $list (grep { @{ $found->{$_} } } qw(incomparable notable)) {
        $text .= folded(q{}, $title{$list}, WIDTH);
        $text .= folded(q{ } x 4, told($_), WIDTH) for @{ $found->{$list} };
    }
    my @unknown = @{ $found->{unknown} };
    $text .= folded(q{}, "Known of only one of them$of: " . join(q{, }, @unknown), WIDTH, q{ })
        if @unknown;
    return $text || "No difference of fingerprint$of.\n";
}

# "fact: old -> new".  Long values differ somewhere: what both have in common is left out.
sub told {
    my ($difference) = @_;
    my ($fact, $old, $new) =
        map { s/\b([\da-f]{12})[\da-f]{52}\b/$1.../r } @{$difference}{qw(fact old new)};
    return "$fact: " . known($old) . ' -> ' . known($new) if length "$old$new" < LONG;
    my @x = split /; /, $old;
    my @y = split /; /, $new;
    my %in_old = map { $_ => 1 } @x;
    my %in_new = map { $_ => 1 } @y;
    my $gone = join '; ', grep { !$in_new{$_} } @x;
    my $come = join '; ', grep { !$in_old{$_} } @y;
    return "$fact: " . plain($gone || 'nothing') . ' -> ' . plain($come || 'nothing');
}

sub least {
    my ($of, $least, $assumed) = @_;
    my $words = "Least difference$of that two runs here can claim: ";
    return folded(q{},
        $words . sprintf('%.1f %% (%s).', 100 * $least->{share}, plain($least->{run})), WIDTH)
        if $least;
    return folded(
        q{},
        $words . sprintf('unknown (./Run aa measures it); %g %% is taken.', 100 * ($assumed || 0)),
        WIDTH
    );
}

sub head {
    my ($copies) = @_;
    return $copies ? $copies == 1 ? '1 copy' : "$copies copies" : '? copies';
}

sub two {
    my ($c) = @_;
    my ($text, $copies) = (q{}, -1);
    my ($pair) = @{ $c->{pairs} };
    for my $r (@{ $pair->{rows} }) {
        if ($r->{copies} != $copies) {
            $text .= mean_line($pair, $copies);
            $copies = $r->{copies};
            $text .= "\n" . sprintf LINE, head($copies), qw(old new delta), '95 %', q{};
        }
        my $name = plain($r->{test});
        if (length $name > 11) { $text .= substr($name, 0, WIDTH) . "\n"; $name = q{} }
        $text .= sprintf LINE, $name, map({ rate($_, $r->{unit}) } @{$r}{qw(old new)}),
            percent($r->{ratio}),
            defined $r->{low} ? plain_percent($r->{low}) . '..' . plain_percent($r->{high}) : q{-},
            $r->{verdict};
    }
    return
          $text
        . mean_line($pair, $copies)
        . "\n+ is better.  95 %: interval of the difference, in %.\n";
}

sub mean_line {
    my ($pair, $copies) = @_;
    my ($mean) = grep { $_->{copies} == $copies } @{ $pair->{means} };
    return q{} if !$mean;
    return sprintf "%-11s %9s %9s %7s   geometric mean of %d\n", q{}, q{}, q{},
        percent($mean->{ratio}), $mean->{tests};
}

sub percent {
    my ($ratio) = @_;
    return sprintf abs($ratio) < 10 ? '%+.1f%%' : '%+.0f%%', 100 * ($ratio - 1);
}

sub plain_percent {
    my ($ratio) = @_;
    return sprintf abs($ratio) < 10 ? '%+.1f' : '%+.0f', 100 * ($ratio - 1);
}

# A column for each machine, in blocks that fit
sub many {
    my ($c, @names) = @_;
    my $text = q{};
    my %cells = map { %{ $_->{cells} } } reverse @{ $c->{machines} };
    my @keys = sort {
               $cells{$a}{copies} <=> $cells{$b}{copies}
            || $cells{$a}{title} cmp $cells{$b}{title}
    } keys %{ $c->{machines}[0]{cells} };
    my @others = 0 .. $#{ $c->{pairs} };
    while (my @some = splice @others, 0, COLUMNS) {
        my $copies = -1;
        for my $key (@keys) {
            my $cell = $cells{$key};
            if ($cell->{copies} != $copies) {
                $text .= mean_row($c, $copies, @some);
                $copies = $cell->{copies};
                $text .= "\n"
                    . sprintf('%-11s %9s', head($copies), $names[0])
                    . join(q{}, map { sprintf ' %9s', $names[ $_ + 1 ] } @some) . "\n";
            }
            $text .= many_row($c, $key, $cell, @some);
        }
        $text .= mean_row($c, $copies, @some);
    }
    return $text . "\nDifferences from $names[0], + is better; ~ none shown, ? cannot be told.\n";
}

sub many_row {
    my ($c, $key, $cell, @some) = @_;
    my $text = q{};
    my $name = plain($cell->{test});
    if (length $name > 11) { $text .= substr($name, 0, WIDTH) . "\n"; $name = q{} }
    $text .= sprintf '%-11s %9s', $name, rate($c->{machines}[0]{cells}{$key}{rate}, $cell->{unit});
    for my $i (@some) {
        my ($r) = grep { "$_->{copies} $_->{test}" eq $key } @{ $c->{pairs}[$i]{rows} };
        $text .= sprintf ' %9s',
            $r ? percent($r->{ratio}) . ($MARK{ $r->{verdict} } || q{ }) : '- ';
    }
    return "$text\n";
}

sub mean_row {
    my ($c, $copies, @some) = @_;
    return q{} if $copies < 0;
    my $text = sprintf '%-11s %9s', 'mean', q{};
    for my $i (@some) {
        my ($mean) = grep { $_->{copies} == $copies } @{ $c->{pairs}[$i]{means} };
        $text .= sprintf ' %9s', $mean ? percent($mean->{ratio}) . q{ } : '- ';
    }
    return "$text\n";
}

# Why some could not be told, and what is in only one of them
sub reasons {
    my ($c) = @_;
    my %why =
        map { $_->{why} => 1 } grep { defined $_->{why} } map { @{ $_->{rows} } } @{ $c->{pairs} };
    my $text =
        %why ? 'It cannot be told where there are ' . join(' or ', sort keys %why) . ".\n" : q{};
    return $text . join q{}, map { folded(q{}, $_, WIDTH) } @{ $c->{unread} || [] };
}

sub rows_of {
    my ($c) = @_;
    my @rows;
    for my $i (0 .. $#{ $c->{pairs} }) {
        push @rows,
            map { { %{$_}, from => $c->{machines}[0]{name}, to => $c->{machines}[ $i + 1 ]{name} } }
            @{ $c->{pairs}[$i]{rows} };
    }
    return @rows;
}

my @FIELDS = qw(from to copies test title unit old new ratio low high p verdict);

sub csv {
    my ($c) = @_;
    my @lines = [@FIELDS];
    push @lines, [ @{$_}{@FIELDS} ] for rows_of($c);
    return join q{}, map {
        join(q{,}, map { SpawnMeter::Report::CSV::field(defined $_ ? plain($_) : undef) } @{$_})
            . "\n"
    } @lines;
}

sub json {
    my ($c) = @_;
    return pretty({
        machines    => [ map { { name => $_->{name}, %{ $_->{run} } } } @{ $c->{machines} } ],
        rows        => [ rows_of($c) ],
        means       => [ map { $_->{means} } @{ $c->{pairs} } ],
        differences => $c->{differences},
        least       => $c->{least},
    });
}

# A cell of a table; a bar would end it, and what looks like HTML would be that
sub cell {
    my ($text) = @_;
    $text = plain($text);
    $text =~ s/([\\|<>&`*_])/\\$1/g;
    return $text;
}

sub markdown {
    my ($c) = @_;
    my @machines = @{ $c->{machines} };
    my @names = @machines == 2 ? qw(old new) : map { letter($_) } 0 .. $#machines;
    my $text = join q{},
        map { "- **$names[$_]**: " . cell($machines[$_]{name}) . "\n" } 0 .. $#machines;
    for my $i (0 .. $#{ $c->{pairs} }) {
        my $d = $c->{differences}[$i];
        $text .= '- differs: ' . cell(told($_)) . "\n"
            for @{ $d->{incomparable} }, @{ $d->{notable} };
        $text .=
            "\n| test | copies | $names[0] | $names[$i + 1] | delta | 95 % | verdict |\n|---|--:|--:|--:|--:|--:|---|\n";
        for my $r (@{ $c->{pairs}[$i]{rows} }) {
            $text .= '| '
                . join(' | ',
                cell($r->{title}),
                $r->{copies},
                map({ rate($_, $r->{unit}) } @{$r}{qw(old new)}),
                percent($r->{ratio}),
                defined $r->{low} ? percent($r->{low}) . ' to ' . percent($r->{high}) : q{-},
                $r->{verdict})
                . " |\n";
        }
        $text .= sprintf "| geometric mean of %d | %s | | | %s | | |\n", $_->{tests}, $_->{copies},
            percent($_->{ratio})
            for @{ $c->{pairs}[$i]{means} };
    }
    return $text;
}

1;
