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
    my @names = map { $_->{members} ? $_->{name} : $_->{head}{label} } @{$runs};
    my @open = grep { !defined $names[$_] } 0 .. $#names;
    my @others = map { $runs->[$_] } @open;
    my @files = map { $_->{name} =~ s/[.]txt\z//r } @others;
    my %cpu = map { (cpu($_->{head}) // q{}) => 1 } @{$runs};
    my $is_one_cpu = @others < @{$runs} && keys %cpu == 1;
    my @own =
          !(grep { !is_short($_) } @files)                   ? @files
        : $is_one_cpu || !(grep { cpu($_->{head}) } @others) ? own_parts(@files)
        :   apart([ \&cpu, \&cpus, \&series, \&kernel, \&release ], @others);
    @names[@open] = @own;
    my %times;
    $_ .= ++$times{$_} > 1 ? " ($times{$_})" : q{} for @names;
    return @names;
}

# The first of these parts in which the runs differ; those that are alike in it by the next ones
sub apart {
    my ($parts, @runs) = @_;
    my ($part, @more) = @{$parts} or return own_parts(map { $_->{name} } @runs);
    my @values = map { $part->($_->{head}) // q{} } @runs;
    my %runs_of;
    push @{ $runs_of{ $values[$_] } }, $_ for 0 .. $#runs;
    my @first = @runs == 1 && length $values[0] ? @values : ();
    return @first if @first;
    return apart(\@more, @runs) if keys %runs_of == 1 && @runs > 1;
    my @names;

    for my $value (keys %runs_of) {
        my @alike = @{ $runs_of{$value} };
        my @parts = length $value ? @more : ();
        my @further = @alike > 1 || !length $value ? apart(\@parts, @runs[@alike]) : q{};
        @names[@alike] = map {
            join ', ', grep { length } $value, $_
        } @further;
    }
    return @names;
}

# Without the words at the beginning and the end that all names have, if letters are left
sub own_parts {
    my (@names) = map { s/[.](?:txt|md|html?|log)\z//r } @_;
    my @words = map { [ split /(?<=[-_ ])|(?=[-_ ])/ ] } @names;
    return @names if @names < 2;
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
