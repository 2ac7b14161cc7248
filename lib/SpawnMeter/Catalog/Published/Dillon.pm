package SpawnMeter::Catalog::Published::Dillon;

# M. Dillon's "fork speed vs /bin/sh" (freebsd-current, 2003-11-27): 5,000 times fork
# or vfork and exec of a static or a dynamic sh with the arguments -c exit 0, as the
# time builtin of csh prints it.
#
#   experiment() -> as SpawnMeter::Catalog::Published says

use strict;
use warnings;
use SpawnMeter::Catalog::Published::Figures qw(figures);
use SpawnMeter::Analysis::Stats             qw(median);

use constant CREATIONS => 5000;

my @SHELLS =
    ([ 'static' => 'sh-static' ], [ 'dynamic' => 'sh-dynamic' ], [ '/bin/sh' => '/bin/sh' ]);
my @METHODS = ([ 'vfork+exec' => 'vforkexec' ], [ 'fork+exec' => 'forkexec' ]);

sub experiment {
    return {
        name      => 'dillon-2003',
        title     => 'fork speed vs /bin/sh, 2003',
        axis      => 'shell',
        reference => 'dragonfly-2003-athlon64',
        passes    => 9,
        cells     => \&cells,
        text      => \&text,
    };
}

sub cells {
    my ($test) = @_;
    my @cells;
    for my $shell (@SHELLS) {
        push @cells, map { {
            %{ $test->{ $_->[1] } },
                test      => $_->[1],
                series    => $_->[1],
                value     => $shell->[0],
                title     => "$_->[1] of sh, $shell->[0]",
                copies    => 1,
                pinned    => 1,
                options   => [ '--exec', $shell->[1] ],
                arguments => [qw(-c exit 0)],
                count     => 1000
        } } @METHODS;
    }
    return @cells;
}

# user, system and elapsed seconds of 5,000 creations, by the medians
sub csh_times {
    my ($passes) = @_;
    return if !$passes;
    my $per = sub {
        my ($f) = @_;
        return CREATIONS * median(map { $f->($_) / $_->{count} } @{$passes});
    };
    return {
        user    => $per->(sub { $_[0]{cpu}[0] + $_[0]{cpu}[2] }),
        system  => $per->(sub { $_[0]{cpu}[1] + $_[0]{cpu}[3] }),
        elapsed => $per->(sub { $_[0]{time} }),
    };
}

sub line {
    my ($what, $t) = @_;
    return sprintf "  %-22s %s\n", $what, 'not measured' if !$t;
    return sprintf "  %-22s %7.3fu %7.3fs  %d:%05.2f %6.1f%%  %6.0f per second\n", $what,
        @{$t}{qw(user system)}, int($t->{elapsed} / 60),
        $t->{elapsed} - 60 * int($t->{elapsed} / 60),
        100 * ($t->{user} + $t->{system}) / $t->{elapsed}, CREATIONS / $t->{elapsed};
}

sub text {
    my ($run, $reference) = @_;
    my $of = figures($run);
    my %here = map {
        my $s = $_->[0];
        map { ("$s $_->[0]" => csh_times($of->{"$s $_->[1]"})) } @METHODS
    } @SHELLS;
    my $text =
        "5,000 times fork or vfork and exec of sh with -c exit 0, as csh's time prints:\nuser and system seconds, elapsed, CPU.  Medians of runs of 1,000, times 5.\n\nHere\n";
    for my $shell (map { $_->[0] } @SHELLS) {
        $text .= line("$_, $shell" =~ s/, \/bin/ of \/bin/r, $here{"$shell $_"})
            for map { $_->[0] } @METHODS;
    }
    $text .= "\nThen (Athlon 64, DragonFly, 2003)\n";
    for my $row (@{ $reference->{table}{rows} }) {
        my ($m, $s) = $row->{elapsed} =~ /^(\d+):([\d.]+)\z/ or next;
        $text .= line("$row->{method}, $row->{sh}",
            { user => $row->{user_s}, system => $row->{sys_s}, elapsed => 60 * $m + $s });
    }
    $text .= "\n";
    for my $method (map { $_->[0] } @METHODS) {
        my ($static, $dynamic) = map { $here{"$_ $method"} } qw(static dynamic);
        my %then =
            map { my ($m, $s) = $_->{elapsed} =~ /^(\d+):([\d.]+)/; ($_->{sh} => 60 * $m + $s) }
            grep { $_->{method} eq $method } @{ $reference->{table}{rows} };
        $text .= sprintf "%s: static over dynamic sh: %.1f times as fast here, %.1f times then.\n",
            $method, $dynamic->{elapsed} / $static->{elapsed}, $then{dynamic} / $then{static}
            if $static && $dynamic;
    }
    return $text . <<'END';

The static and the dynamic sh are a small one of this suite's, which only knows
exit: the same source linked in two ways.  The split of user and system time is
not reliable: with tick accounting a whole tick goes to one of them.  Page
faults and text and data sizes, which csh prints too, are not taken.
END
}

1;
