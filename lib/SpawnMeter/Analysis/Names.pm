# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Names;

# What the machines of a comparison are called, and the short forms of their facts.  Pure functions.
#
#   names([runs or groups of Analysis::Comparison]) -> a name for each, all different: the label, or
#       where all files have short names these; else the CPU, and where runs have one CPU the first
#       of number of CPUs, kernel and file name in which these differ.  Without a CPU the file name.
#       Of file names only what follows their common beginning and precedes their common end
#   cpu(head of a run) -> "Intel Core i7-6567U", or undef
#   cpus(head) -> "2 CPUs", or undef
#   kernel_of(head) -> "Linux 6.1.0-13-amd64", of which an unknown part is left out
#   distribution(head), libc(head) -> "Debian 12", "glibc 2.36, static", or undef
#   series(head) -> the first two numbers of the kernel's release, "Linux 6.1", or undef
#   is_short(name) -> true where it fits above a column

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(names cpu cpus kernel_of distribution libc series is_short);

sub is_short { my ($name) = @_; return $name =~ /\A[\w.+-]{1,9}\z/a }

sub names {
    my ($runs) = @_;
    my @labels = map { $_->{members} ? $_->{name} : $_->{head}{label} } @{$runs};
    my @files = map { $_->{name} =~ s/[.](?:txt|md|html?|log)\z//r } @{$runs};
    my @long = grep { !defined $labels[$_] && !is_short($files[$_]) } 0 .. $#files;
    my @names = @long ? apart($runs, @files) : @files;
    @names = map { $labels[$_] // $names[$_] } 0 .. $#names;
    my %times;
    $_ .= ++$times{$_} > 1 ? " ($times{$_})" : q{} for @names;
    return @names;
}

# The facts in which runs differ, each only of those that are alike in the facts before it; at last
# the file name
sub apart {
    my ($runs, @files) = @_;
    my @names = (q{}) x @files;
    for my $fact (\&cpu, \&cpus, \&series, \&kernel, \&release, undef) {
        my %alike;
        push @{ $alike{ $names[$_] } }, $_ for 0 .. $#names;
        for my $same (grep { @{$_} > 1 } values %alike) {
            my @heads = map { $_->{head} } @{$runs}[ @{$same} ];
            my @values =
                $fact
                ? map { defined cpu($_) && $fact->($_) || q{} } @heads
                : own_parts(@files[ @{$same} ]);
            my %different = map { $_ => 1 } @values;
            next if keys %different == 1;
            $names[$_] = join ', ', grep { length } $names[$_], shift @values for @{$same};
        }
    }
    return map { length $names[$_] ? $names[$_] : $files[$_] } 0 .. $#names;
}

# Without the words at the beginning and the end that all names have, if letters are left
sub own_parts {
    my (@names) = @_;
    my @words = map { [ split /(?<=[-_ ])|(?=[-_ ])/ ] } @names;
    for my $end (0, -1) {
        while (!grep { @{$_} < 2 || $_->[$end] ne $words[0][$end] } @words) {
            splice @{$_}, $end, 1 for @words;
        }
    }
    my @own = map { join(q{}, @{$_}) =~ s/\A[-_ ]+|[-_ ]+\z//gr } @words;
    return (grep { !/[[:alpha:]]/ } @own) ? @names : @own;
}

sub cpu {
    my ($head) = @_;
    my $model = ($head->{system} || {})->{cpu_model};
    return if !defined $model || $model !~ /\w/;
    $model =~ s/[(](?:R|TM)[)]|(?: CPU)? [@].*| CPU(?= )| (?:\d+-Core )?Processor\b//gi;
    return $model =~ s/ {2,}/ /gr;
}

sub distribution {
    my ($head) = @_;
    my $name = ($head->{system} || {})->{distribution};
    return defined $name ? $name =~ s{ GNU/Linux| [(].*}{}gr : undef;
}

# Of a post that its head prints
sub libc {
    my ($head) = @_;
    my @posted = map { /^Build: (?:.*; )?(.*)/ } @{ ($head->{posted} || {})->{head} || [] };
    my ($libc) = grep { /^(?:glibc|musl)\b/ } @{ $head->{build} || [] }, @posted or return;
    return $libc =~ s/,(?! static).*?(?=, static|\z)//r;
}

sub cpus {
    my ($head) = @_;
    my $cpus = ($head->{system} || {})->{cpus_online} or return;
    return $cpus == 1 ? '1 CPU' : "$cpus CPUs";
}

sub kernel_of {
    my ($head) = @_;
    return join q{ }, grep { defined } @{ $head->{system} || {} }{qw(system kernel_release)};
}

sub kernel {
    my ($head) = @_;
    my ($name, $release) = @{ $head->{system} || {} }{qw(system kernel_release)};
    my ($version) = ($release // q{}) =~ /\A([\d.]*\d)/a or return;
    return join q{ }, map { s{\AGNU/}{}r } grep { defined } $name, $version;
}

sub series {
    my ($head) = @_;
    return (kernel($head) // q{}) =~ /\A(\D*\d+(?:[.]\d+)?)/a ? $1 : undef;
}

sub release { my ($head) = @_; return ($head->{system} || {})->{kernel_release} }

1;
