package SpawnMeter::Command::Sweep;

# ./Run sweep: has a sweep measured, stored and shown.
#
#   run(suite) -> exit status;  explain(suite) -> exit status
#   analysis(run) -> what SpawnMeter::Report::Sweep wants (see there)
#   texts(suite, run, head of the report) -> { '' => text, '.csv', '.html', '.svg',
#       '.png' }, without pictures where there is no gnuplot

use strict;
use warnings;
use List::Util qw(max min);
use SpawnMeter::Report::Explain;
use SpawnMeter::Analysis::Line qw(line);
use SpawnMeter::Measure::Session;
use SpawnMeter::Catalog::Published;
use SpawnMeter::Report::HTML;
use SpawnMeter::Report::Plot;
use SpawnMeter::Report::Sweep;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Store::Find;
use SpawnMeter::Catalog::Sweeps qw(points);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Measure::ProcessLimits;
use SpawnMeter::Util::Format qw(visible);

# A straight line for each series whose values are numbers
sub analysis {
    my ($run) = @_;
    my $sweep = $run->{sweep};
    my $points = points($run);
    my %lines;
    if (!grep { !defined } @{ $sweep->{x} }) {
        for my $series (@{ $sweep->{series} }) {
            my @known = grep {
                my $p = $points->{$series}{ $sweep->{values}[$_] };
                $p && $p->{rates} && @{ $p->{rates} }
            } 0 .. $#{ $sweep->{x} };
            $lines{$series} = line(
                x      => [ map { $sweep->{x}[$_] } @known ],
                passes => [
                    map {
                        my $p = $points->{$series}{ $sweep->{values}[$_] };
                        [ map { 1e6 / $_ } @{ $p->{rates} } ]
                    } @known
                ],
            );
        }
    }
    return {
        points => $points,
        lines  => \%lines,
        per    => per($sweep),
        remark => $sweep->{name} eq 'image' ? scalar claim_of_2003($points) : undef
    };
}

# M. Dillon's mail of 2003 answers a claim about the parent's image (bare creation, no
# exec); here the same ratios
sub claim_of_2003 {
    my ($points) = @_;
    my @ratios;
    for my $image (qw(static dynamic)) {
        my ($fork, $vfork) = map { $points->{$_}{$image} } qw(fork vfork);
        return if !$fork || !$vfork || !$fork->{time_us} || !$vfork->{time_us};
        push @ratios, $fork->{time_us} / $vfork->{time_us};
    }
    return
        sprintf
        "A mail of 2003 (freebsd-current) quotes the claim that vfork is 3 times faster\nthan fork from a static parent, and 9 times from a dynamic one: here %.1f and %.1f.\n",
        @ratios;
}

# What a slope is given for: so many of what is varied
sub per {
    my ($sweep) = @_;
    my $most = max(0, grep { defined } @{ $sweep->{x} });
    return [ 1024**2, 'per MB' ] if $sweep->{axis} =~ /bytes/ && $most >= 1024**2;
    return [ 1024, 'per KB' ] if $sweep->{axis} =~ /bytes/;
    return [ 100, 'per 100' ];
}

# Logarithmic where the values span more than a factor of 20; 0 then stands a
# quarter of the smallest one's way
sub scale {
    my ($sweep) = @_;
    my @x = @{ $sweep->{x} };
    return ('names', 0) if grep { !defined } @x;
    my @above = grep { $_ > 0 } @x;
    return ('linear', 0) if !@above || max(@above) < 20 * min(@above);
    return ('log', min(@above) / 4);
}

sub plot_of {
    my ($root, $run, $csv) = @_;
    my $sweep = $run->{sweep};
    my ($scale, $zero) = scale($sweep);
    return {
        root   => $root,
        csv    => $csv,
        title  => $sweep->{title},
        axis   => $sweep->{axis},
        series => scalar @{ $sweep->{series} },
        scale  => $scale,
        zero   => $zero
    };
}

sub texts {
    my ($suite, $run, $head) = @_;
    return published_texts($suite, $run, $head)
        if grep { $_->{name} eq $run->{sweep}{name} } @{ SpawnMeter::Catalog::Published::list() };
    my $analysis = analysis($run);
    my $text = $head . SpawnMeter::Report::Sweep::text($run, $analysis);
    my $csv = SpawnMeter::Report::Sweep::csv($run, $analysis);
    my $plot = plot_of($suite->{root}, $run, $csv);
    my %file = ('.csv' => $csv);
    my $why;

    for my $form (qw(svg png)) {
        (my $picture, $why) = SpawnMeter::Report::Plot::render($plot, $form);
        $file{".$form"} = $picture if defined $picture;
        last if defined $why;
    }
    if ($suite->{option}{ascii} && !defined $why) {
        (my $picture, $why) = SpawnMeter::Report::Plot::render($plot, 'dumb');
        $text .= "\n" . $picture =~ s/\f//gr =~ s/ +$//gmr if defined $picture;
    }
    $text .= "No plot: $why.\n" if defined $why;
    my @plots =
        defined $file{'.svg'}
        ? { title => $run->{sweep}{title}, svg => inline($file{'.svg'}) }
        : ();
    $file{'.html'} = SpawnMeter::Report::HTML->new->render(
        { %{$run}, scored => [], plots => \@plots, table => $text });
    return (%file, q{} => $text);
}

# In the form that the experiment was published in
sub published_texts {
    my ($suite, $run, $head) = @_;
    my ($experiment) =
        grep { $_->{name} eq $run->{sweep}{name} } @{ SpawnMeter::Catalog::Published::list() };
    my @references =
        map { SpawnMeter::Store::RunFile::load("$suite->{root}/results/reference/$_.json") }
        $experiment->{reference}, @{ $experiment->{others} || [] };
    my $text =
        $head . q{-} x 72 . "\n$experiment->{title}\n\n" . $experiment->{text}->($run, @references);
    $text .= join q{}, "\n", map { visible($_) . "\n" } map { split /\n/ } @{ $run->{notes} }
        if $run->{notes};
    $text .= SpawnMeter::Report::Sweep::trouble($run->{sweep}, points($run))
        . SpawnMeter::Report::Sweep::ending($run);
    return (
        q{}     => $text,
        '.csv'  => SpawnMeter::Report::Sweep::csv($run, analysis($run)),
        '.html' => SpawnMeter::Report::HTML->new->render({ %{$run}, scored => [], table => $text })
    );
}

# The picture itself, without what makes it a file of its own
sub inline { my ($svg) = @_; return $svg =~ s/\A.*?(?=<svg)//sr }

sub swept_cells {
    my ($suite, $sweep) = @_;
    my $cpus = SpawnMeter::Machine::Facts->new->usable_cpus->{count};
    return SpawnMeter::Catalog::Sweeps::cells($sweep, $suite->{catalogue}{tests}, $cpus);
}

sub published_cells {
    my ($experiment, $suite) = @_;
    my %test = map { $_->{name} => $_ } @{ $suite->{catalogue}{tests} };
    my @cells = $experiment->{cells}->(\%test);
    my (%seen, @labels, @series);
    for my $cell (@cells) {
        push @labels, $cell->{value} if !$seen{"value $cell->{value}"}++;
        push @series, $cell->{series} if !$seen{"series $cell->{series}"}++;
    }
    my %wanted = map { ("$_->{value} $_->{series}" => 1) } @cells;
    return (
        \@cells,
        {
            (map { $_ => $experiment->{$_} } qw(name title axis)),
            values => \@labels,
            series => \@series,
            x      => [ map { undef } @labels ],
            cells  => [ sort keys %wanted ]
        }
    );
}

# The suite as a sweep runs it: 3 s for a cell; a published experiment makes a given
# number of passes, whatever they differ by
sub suite_of {
    my ($suite, $experiment) = @_;
    my %option = %{ $suite->{option} };
    if ($experiment) {
        $option{iterations} = $experiment->{passes} if !defined $option{iterations};
        $option{precision} = '0.0001%';
        $option{fixed} = $option{iterations};
        $option{'max-time'} = 600 if !defined $option{'max-time'};
    }
    $option{'max-time'} = 3 if !defined $option{'max-time'};
    $option{pin} = 1;    # but where a cell says otherwise
    return { %{$suite}, option => \%option };
}

# ./Run explain: the model from the newest sweeps of this machine; what is missing is
# measured first
sub explain {
    my ($suite) = @_;
    my (undef, @more) = @{ $suite->{option}{names} };
    die "explain: it takes no names\n" if @more;
    my %of;
    my $status = 0;
    my $here = { run => { %{ fingerprint($suite) } } };
    for my $name (SpawnMeter::Report::Explain::needed()) {
        my $run = stored_sweep($suite, $name, $here);
        if (!$run) {
            $status ||= run({
                %{$suite},
                option => { %{ $suite->{option} }, names => [ 'sweep', $name ], quiet_report => 1 }
            });
            $run = stored_sweep($suite, $name, $here);
        }
        $of{$name} = { run => $run, analysis => analysis($run) } if $run;
        last if $status > 128;
    }
    print SpawnMeter::Report::Explain::text(\%of);
    return $status;
}

sub fingerprint {
    my ($suite) = @_;
    return { system =>
            SpawnMeter::Machine::Facts->new(binaries => $suite->{binaries}, tmp => $suite->{tmp})
            ->facts };
}

# The newest sweep of this name on this machine and kernel, or undef
sub stored_sweep {
    my ($suite, $name, $here) = @_;
    for my $file (SpawnMeter::Store::Find::newest($suite->{results}, 'sweep')) {
        my $run = eval { SpawnMeter::Store::RunFile::load($file) } or next;
        next if !$run->{sweep} || $run->{sweep}{name} ne $name || !$run->{complete};
        return $run
            if !grep { ($here->{run}{system}{$_} || q{}) ne ($run->{system}{$_} || q{}) }
            qw(architecture cpu_model kernel_release kernel_version cpus_online);
    }
    return;
}

sub run {
    my ($suite) = @_;
    require SpawnMeter::Command::Run;
    my (undef, $name, @more) = @{ $suite->{option}{names} };
    my $sweeps = $suite->{sweeps}->();
    die 'sweep: name one of: ' . join(q{ }, map { $_->{name} } @{$sweeps}) . "\n"
        if !defined $name || @more;
    die "sweep: only linux-windows-2012 has --limits\n"
        if $suite->{option}{limits} && $name ne 'linux-windows-2012';
    die "sweep: -c has no meaning here: ./Run sweep copies varies them\n"
        if $suite->{option}{copies};
    my $counts = grep { $_->{name} eq $name && $_->{takes_count} }
        @{ SpawnMeter::Catalog::Published::list() };
    my @more_options =
        grep { /^--/ && !($counts && $_ eq '--count') } @{ $suite->{option}{pass_on} };
    die "sweep $name: $more_options[0] has no meaning here\n" if @more_options;
    my $published = SpawnMeter::Catalog::Published::list();
    my ($experiment) = grep { $_->{name} eq $name } @{$published};
    my $of = suite_of($suite, $experiment);
    my ($cells, $head) =
        $experiment
        ? published_cells($experiment, $suite)
        : swept_cells($suite,
        SpawnMeter::Catalog::Sweeps::named($sweeps, $name, map { $_->{name} } @{$published}));
    my %seen;
    my @tests = grep { !$seen{ $_->{series} }++ } @{$cells};
    my $plan = SpawnMeter::Measure::Session::prepare(
        $of,
        tests    => \@tests,
        tree     => undef,
        score_by => undef,
        cells    => scalar @{$cells},
        kind     => 'sweep',
        sweep    => $head,
        passes   => $of->{option}{fixed}
    );
    SpawnMeter::Measure::Build::make_static($suite->{root}) if grep { $_->{static} } @{$cells};
    $plan->{notes} = [ SpawnMeter::Measure::ProcessLimits::text($suite) ]
        if $suite->{option}{limits};
    my ($run, $stopped) = SpawnMeter::Command::Run::perform($of, $plan,
        { copies => 1, cells => $cells, title => $head->{title} });
    return SpawnMeter::Command::Run::report($of, $plan, $run, $stopped);
}

1;
