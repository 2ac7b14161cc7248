# SPDX-License-Identifier: GPL-2.0-or-later
# What the misbehaving programs share: pass_gate() says ready and waits for the
# start, as a good program does; say_good() prints good results.

sub pass_gate {
    my ($go, $ready) = "@ARGV" =~ /--gate (\d+),(\d+)/ or return;
    open my $out, '>&=', $ready                        or die;
    syswrite $out, 'r';
    close $out;
    my $bits = q{};
    vec($bits, $go, 1) = 1;
    select $bits, undef, undef, undef;
    return;
}

sub say_good { print {*STDERR} "COUNT|100|1|lps\nTIME|0.010000\n"; return }

1;
