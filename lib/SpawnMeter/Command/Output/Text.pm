# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Output::Text;

# What trace and published print: a text about this machine, below the header of a report.
#
#   finish_text(suite, text) -> exit status: prints the text below the header, and stores it as
#       NAME and NAME.html

use strict;
use warnings;
use Exporter 'import';
use POSIX                        ();
use SpawnMeter::Analysis::Record ();
use SpawnMeter::Command::Output  qw(print_text stored_as SILENT);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Measure::Build;
use SpawnMeter::Report::HTML;
use SpawnMeter::Report::Text;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Format qw(visible_lines);

our @EXPORT_OK = qw(finish_text);

sub finish_text {
    my ($suite, $words) = @_;
    my $option = $suite->{option};
    my $run = head($suite);
    my $text = SpawnMeter::Report::Text->new(brief => $option->{brief})->header($run) . $words;
    my $page = SpawnMeter::Report::HTML->new->render({ %{$run}, scored => [], table => $text });
    my $quiet = $option->{quiet} || 0;
    print_text($text) if $quiet < SILENT;
    my $stored = eval { store($suite, $text, $page) };

    if (!defined $stored) {
        print {*STDERR} 'Run: NOT STORED: ', visible_lines($@);
        return 1;
    }
    my %file = ('.html' => $page);
    print_text(stored_as($suite, $stored, \%file)) if !$quiet;
    return 0;
}

# A run without passes: it is only a header
sub head {
    my ($suite) = @_;
    my $facts = SpawnMeter::Machine::Facts->new(
        binaries => $suite->{binaries},
        tmp      => $suite->{tmp}
    )->facts;
    my $label = $suite->{option}{label};
    utf8::decode($label) if defined $label;
    return SpawnMeter::Analysis::Record::run(
        suite    => $suite->{version},
        host     => (POSIX::uname())[1],
        command  => $suite->{command},
        label    => $label,
        system   => $facts,
        build    => [ SpawnMeter::Measure::Build::facts("$suite->{binaries}/fork") ],
        started  => time,
        complete => 1,
    );
}

# -> path without ending; the log, which reserves the name, is not kept
sub store {
    my ($suite, $text, $page) = @_;
    my $results = SpawnMeter::Store::RunFile::open_results(
        $suite->{results},
        $ENV{UB_OUTPUT_FILE_NAME},
        (POSIX::uname())[1]
    );
    my $path = $results->{path};
    my %file = (q{} => $text, '.html' => $page);
    my $good = eval {
        for my $ending (sort keys %file) {
            SpawnMeter::Store::RunFile::write_file("$path$ending", $file{$ending});
        }
        1;
    };
    my $why = $@;
    SpawnMeter::Store::RunFile::forget($results);
    die $why if !$good;
    return $path;
}

1;
