# SPDX-License-Identifier: GPL-2.0-or-later
# Compares the reports with the golden files (make golden records them).  What laboratories read
# of a report is in t/cli/laboratories.t.
use lib 't/lib';
use TestHelp;

my %form;
my $folder = scratch();
my $made = command({}, $^X, "$ROOT/t/golden/make.pl", "$folder");
is("$made->{status} $made->{err}", '0 ', 'they are made without a warning');
my @forms = map { m{([^/]+)\z} } glob "\Q$folder\E/*";
cmp_ok(scalar @forms, '>', 20, 'all forms of output are there');
for my $form (@forms) {
    $form{$form} = slurp_file("$folder/$form");
    my $golden = slurp_file("$ROOT/t/golden/expected/$form");
    ok(defined $golden && same($form, $form{$form}) eq same($form, $golden), "$form is as recorded")
        or diff("$ROOT/t/golden/expected/$form", "$folder/$form");
}
my %recorded = map { m{([^/]+)\z} ? ($1 => 1) : () } glob "\Q$ROOT\E/t/golden/expected/*";
is_deeply([ sort keys %recorded ], [ sort @forms ], 'nothing else is recorded');

# Of JSON's two writers one writes 1 as 1.0 in some places
sub same {
    my ($form, $text) = @_;
    return $form =~ /json\z/ ? $text =~ s/(: -?\d+)[.]0(,?)$/$1$2/mgr : $text;
}

sub diff {
    my ($golden, $made) = @_;
    diag command({}, 'diff', '-u', $golden, $made)->{out};
    return;
}

for my $form (grep { /[.]text\z/ && !/doctor/ } @forms) {
    my $most = $form =~ /^compare/ ? 72 : 80;
    my @wide = grep { length > $most && !m{^(?:Source|\w+): +https?://\S+\z} } split /\n/,
        $form{$form};
    is("@wide", q{}, "$form: no line is wider than $most");
}

# What scripts take for lines of the classic report does not occur in the screen below it
my $CLASSIC =
    qr/Score|INDEX|\blp[sm]\b|KBps|of tests|Throughput|-{70}|(?:(?<!\S)[\d.]+ +){2}[\d.]+(?!\S)/;
for my $form (qw(report busy classic report-anonymous)) {
    my ($screen) = $form{"$form.text"} =~ /^((?:BUSY: |SpawnMeter \d).*)/ms;
    like($screen, qr/^test +rate /m, "$form.text has a screen");
    unlike($screen, $CLASSIC, 'and no line of it is one of the classic suite');
}

done_testing;
