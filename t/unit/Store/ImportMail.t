# SPDX-License-Identifier: GPL-2.0-or-later
# Posted reports as mailers wrap them: quoted once and twice, at two widths of mailers, or with
# LONG=1 (make check-long) at every one from 60 to 80 columns.  Every number is right at each
# width; nothing is lost without a word.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::Import qw(import_reports);

my $catalog = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list");
my @warnings;
local $SIG{__WARN__} = sub { push @warnings, @_ };

my @names = qw(macos.txt raspberry-pi-5.txt raspberry-pi-zero.txt posts/full-atom.txt
    posts/v3.11-plain.txt posts/single-file-tests-4.1.txt posts/v4.1-wht.txt);
my %report = map { $_ => slurp_file("$ROOT/t/import/$_") } @names;

# At the last blank that fits; a line without one stays long
sub wrapped {
    my ($width, $mark, @lines) = @_;
    my @wrapped;
    for my $line (@lines) {
        while (length $line > $width) {
            my ($left, $right) = $line =~ /^(.{1,$width}) +(\S.*)$/ or last;
            last if $left =~ /^[> ]*$/ && $right !~ / /;
            push @wrapped, $left;
            $line = "$mark$right";
        }
        push @wrapped, $line;
    }
    return @wrapped;
}

sub quoted {
    return map { length ? "> $_" : '>' } @_;
}

my @WIDTHS = $ENV{LONG} ? 60 .. 80 : (65, 76);
my %WAY = (
    'wrapped'                     => sub { wrapped($_[0], q{}, @{ $_[1] }) },
    'quoted, then wrapped'        => sub { wrapped($_[0], q{}, quoted(@{ $_[1] })) },
    'quoted, wrapped with quotes' => sub { wrapped($_[0], '> ', quoted(@{ $_[1] })) },
    'wrapped, then quoted'        => sub { quoted(wrapped($_[0], q{}, @{ $_[1] })) },
    'quoted twice, then wrapped'  => sub { wrapped($_[0], q{}, quoted(quoted(@{ $_[1] }))) },
    'twice quoted and wrapped'    => sub {
        my ($width, $lines) = @_;
        return wrapped($width, q{}, quoted(wrapped($width, q{}, quoted(@{$lines}))));
    },
    'twice, wrapped with quotes' => sub {
        my ($width, $lines) = @_;
        return wrapped($width, '> > ', quoted(wrapped($width, '> ', quoted(@{$lines}))));
    },
);

sub figures {
    my ($found) = @_;
    return [
        map {
            join q{ },
                map { defined $_ ? $_ : q{-} }
                @{$_}{qw(copies test rate baseline index samples)}
        } map { @{ $_->{printed} } } @{ $found->{runs} }
    ];
}

my %plain = map { $_ => figures(import_reports($report{$_}, $catalog->{tests})) } @names;
for my $way (sort keys %WAY) {
    my (@wrong, @unread);
    for my $name (@names) {
        my @lines = split /\r?\n/, $report{$name};
        for my $width (@WIDTHS) {
            my $found =
                import_reports(join("\n", $WAY{$way}->($width, \@lines)), $catalog->{tests});
            push @wrong, "$name at $width" if "@{ figures($found) }" ne "@{ $plain{$name} }";
            push @unread, map { "$name at $width: $_->{text}" } @{ $found->{unread} };
        }
    }
    is_deeply(\@wrong, [], "$way: every number is right at @WIDTHS columns");
    is_deeply(\@unread, [], "$way: every line is read");
}

# Of 3.11 have titles of their own, and what says so is often not quoted
my $lines = join "\n", grep { /samples[)]$/ } split /\n/, $report{'posts/v3.11-plain.txt'};
my $found = import_reports($lines, $catalog->{tests});
is(scalar @{ $found->{runs}[0]{printed} }, 15, 'the results of a report of 3.11 alone');
is_deeply($found->{unread}, [], 'all are read');
is_deeply(\@warnings, [], 'no warning of perl');
done_testing;
