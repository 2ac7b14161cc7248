# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Schema::Shapes;

# The parts of a stored run, and the types of their fields.
#
#   shapes() -> { part => { record => name of the record that its fields are of
#       (SpawnMeter::Analysis::Record), or undef; required, optional => { field => name of a type
#       of SpawnMeter::Store::Schema } } }

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(shapes);

my %SHAPE = (
    run => {
        record   => 'run',
        required => { suite => 'text', protocol => 'text_set', system => 'text_set' },
        optional => {
            (map { $_ => 'text' } qw(host command label reason source name form set_back)),
            (map { $_ => 'texts' } qw(options build notes conditions)),
            (map { $_ => 'truth' } qw(complete unscored)),
            kind    => 'kind',
            started => 'time',
            cost    => 'number_set',
        },
    },
    settings => {
        record   => 'settings',
        optional => {
            steadied => 'truth',
            map { $_ => 'number' }
                qw(precision max_time slice warmup iterations pin seed reference
                turns)
        },
    },
    system => { optional => { cpus_online => 'number', cpus_usable => 'number' } },
    test   => {
        record   => 'test',
        required => { name  => 'name' },
        optional => { title => 'text', category => 'text' },
    },
    category => { required => { name => 'text', title => 'text', tests => 'texts' } },
    block    => {
        required => { copies => 'copies' },
        optional => {
            started => 'time',
            ended   => 'time',
            (map { $_ => 'number' } qw(cpus slice max_time)),
            map { $_ => 'text' } qw(date from to),
        },
    },
    sweep => {
        record   => 'sweep',
        required => {
            (map { $_ => 'text' } qw(name title axis)),
            values => 'texts',
            series => 'texts',
            x      => 'numbers',
        },
        optional => { quantity => 'text' },
    },
    side => {
        record   => 'side',
        required => { name => 'text' },
        optional => {
            (map { $_ => 'text' } qw(programs set stop)),
            map { $_ => 'texts' } qw(wrap options build)
        },
    },
    pass => {
        record   => 'pass',
        required => { test => 'name', copies => 'copies', status => 'status', wall => 'number' },
        optional => {
            (map { $_ => 'text' } qw(reason side value unit)),
            (map { $_ => 'number_set' } qw(machine window)),
            map { $_ => 'number' } qw(at round turns),
        },
    },
    copy => {    # of a pass: what its program printed (Analysis::ProgramOutput)
        required => { count => 'not_negative', timebase => 'number' },
        optional => {
            time       => 'positive',
            disturb    => 'number_set',
            references => 'number_sets',
            within     => 'number_sets',
            map { $_ => 'number' }
                qw(iterations gate creating timed copies spawners paused
                paused_cpu),
        },
    },
    costs => {    # of a copy, too
        optional => {
            (map { $_ => 'numbers' } qw(fault page_faults)),
            (map { $_ => 'text' } qw(label batches)),
            (map { $_ => 'four_numbers' } qw(cpu footprint)),
            (map { $_ => 'five_numbers' } qw(latency stall)),
            (map { $_ => 'histogram' } qw(histogram stalls)),
            start  => 'five_number_sets',
            starts => 'histogram_set',
        },
    },
    printed => {
        record   => 'result',
        required => { test => 'name', title => 'text', copies => 'copies', rate => 'positive' },
        optional => {
            (map { $_ => 'number' } qw(rounding seconds samples baseline index plus_minus busy)),
            tabled   => 'truth',
            unit     => 'text',
            category => 'text',
        },
    },
);

sub shapes { return \%SHAPE }

1;
