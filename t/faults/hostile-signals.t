# SPDX-License-Identifier: GPL-2.0-or-later
# Signals to Run that end a process by default and that few programs handle, at random
# moments: USR1, ALRM, IO, PROF.  Run ends as after SIGTERM, with status 128 + the signal's
# number and an incomplete report; every reported pass is stored; nothing is left.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Config;
use Faults;
use Faults::Random;

needs_proc();

my %number;
@number{ split q{ }, $Config{sig_name} } = split q{ }, $Config{sig_num};

for my $signal (qw(USR1 ALRM IO PROF)) {
    my $incomplete = qr/^INCOMPLETE: .* SIG$signal$/m;
    at_random_moments(
        "SIG$signal to Run",
        run    => [qw(-v --slice 0.05 --max-time 1 -c 2 --seed 5 process)],
        inject => sub { return kill $signal, $_[0]{pid} },
        expect => sub {
            my ($run, undef, $text) = @_;
            return "status $run->{status}" if $run->{status} != 128 + $number{$signal};
            return if $run->{err_text} !~ /cop(?:y|ies) of each test/;    # before measuring
            return 'the report does not say incomplete' if $run->{out_text} !~ $incomplete;
            return $text =~ $incomplete ? undef : 'show does not say incomplete';
        }
    );
}
done_testing;
