# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Kernels;

# ./Run kernels: counts the instructions of creating a process in kernels that are only files.
#
#   run(suite) -> exit status: 0; 2 where an image cannot be booted or a test fails in it; with
#       --fail-if-slower 1 where a test takes more instructions by so much, and otherwise 3 where
#       that is not known of one; with --bisect those of git bisect run

use strict;
use warnings;
use File::Path                         ();
use SpawnMeter::Analysis::Instructions qw(listed middle pass summary);
use SpawnMeter::Catalog::Tests         qw(choose has_feature);
use SpawnMeter::Command::Output        qw(finish write_or_print);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Measure::Boot
    qw(boot_all functions image path_of laid_out parameters qemu with_line);
use SpawnMeter::Measure::Build;
use SpawnMeter::Measure::Session qw(alone about);
use SpawnMeter::Report::Counted  ();
use SpawnMeter::Stats::Numbers   qw(shuffled);
use SpawnMeter::Store::ResultFiles;
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::File   qw(decode encode read_bytes replace_file write_all);
use SpawnMeter::Util::Format qw(minutes visible_lines);

use constant {
    LIMIT   => 120,    # seconds of CPU time
    WARM_UP => 10,     # creations
    MANY    => 200,    # creations that are counted,
    FEW     => 50,     # and of tests that start a program
    MEAN    => 10,     # seconds of a boot
    OLD     => 60,     # days after which what was counted is removed
    SPREAD  => 4e7,    # between the seeds of orders
    UNKNOWN => 3,      # exit status
};
my %ELF = (x86_64 => 62, aarch64 => 183, riscv64 => 243);    # machines of elf(5)

sub run {
    my ($suite) = @_;
    my $status = eval { compared($suite) };
    return $status if defined $status;
    die $@ if !ref $@;
    print {*STDERR} visible_lines("Run: ${$@}");
    return $suite->{option}{bisect} ? UNKNOWN : 2;
}

sub compared {
    my ($suite) = @_;
    my ($option, $limit) = ($suite->{option}, $suite->{option}{'fail-if-slower'});
    my ($words, @tests) = named($suite);
    alone($suite);
    my $tmp = SpawnMeter::Util::Cleanup::temporary($suite->{tmp});
    my @images = images("$tmp", $option, @{$words});
    die "--fail-if-slower: needs two images, or one with --boot-b\n"
        if defined $limit && @images < 2;
    my %plan = (suite => $suite, tests => \@tests, folder => $option->{keep} // "$tmp");
    $plan{cache} = ($suite->{cache} // "$tmp") . '/kernels';
    $plan{boots} = [ boots(\%plan, @images) ];
    my $run = counted_run(\%plan);
    my $summary = $plan{summary} = summary($run, $suite->{root});
    my $print = sub { write_or_print(undef, SpawnMeter::Report::Counted::csv($summary)) };
    $plan{print} = $print if $option->{csv};
    return $option->{bisect} ? 2                                        : 1 if finish(\%plan, $run);
    return defined $limit    ? status_of($limit, @{ $summary->{rows} }) : 0;
}

# -> ([words that name images], tests)
sub named {
    my ($suite) = @_;
    my ($catalog, $listed) = ($suite->{catalog}, $suite->{option}{functions});
    my (undef, @names) = @{ $suite->{option}{names} };
    my @tests = eval {
        choose($catalog, grep { !path_of($_) } @names);
    } or die "kernels: there is no such image, and no /boot/vmlinuz-NAME: $@";
    my @images = grep { path_of($_) } @names
        or die "kernels: needs an image: a file, a folder, or the version of a kernel in /boot\n";
    my @foreign = map { $_->{name} } grep { $_->{tree} } @tests;
    die "kernels: the tests of a classic tree cannot be counted: @foreign\n" if @foreign;
    die "--functions $listed: name one of the tests: ", join(q{ }, map { $_->{name} } @tests), "\n"
        if defined $listed && !grep { $_->{name} eq $listed } @tests;
    return (\@images, @tests);
}

# ---- sides ----

# -> the image of each side: one has two where something is given for one of them
sub images {
    my ($scratch, $option, @words) = @_;
    my ($given) = grep { defined $option->{$_} } map { ("boot-$_", "programs-$_", $_) } qw(a b);
    my @images = map { scalar image($_, $scratch) } @words;
    my ($first, @others) = map { $_->{kernel} } @images;
    my ($other) = grep { $_->{machine} ne $first->{machine} } @others;
    die "kernels: all images must be of one architecture: $other->{name} is for $other->{machine}, "
        . "$first->{name} for $first->{machine}\n"
        if $other;
    return @images == 1 && defined $given ? (@images) x 2 : @images;
}

# -> a side as it is stored
sub side {
    my ($suite, $qemu, $image, $name) = @_;
    my ($option, $own) = ($suite->{option}, lc $name);
    my $all = $image->{configuration};
    my %kernel = (%{ $image->{kernel} }, qemu => $qemu->{version}, model => $qemu->{model});
    $kernel{memory} = $option->{memory} // '512M';
    $kernel{given} = join q{ }, grep { defined } @{$option}{ 'boot', "boot-$own" };
    $kernel{parameters} = parameters(\%kernel, $kernel{given});
    return {
        name          => $name,
        options       => [ @{ $option->{pass_on} }, @{ $option->{$own} || [] } ],
        programs      => $option->{"programs-$own"},
        configuration => { map { $_ => $all->{$_} } listed($suite->{root}, keys %{$all}) },
        kernel        => \%kernel,
    };
}

# ---- what is booted ----

# -> a boot of each side and seed; each seed has another order: what ran before a test changes it
sub boots {
    my ($plan, @images) = @_;
    my $suite = $plan->{suite};
    my $qemu = qemu($images[0]{kernel}{machine});
    my ($status, $words) = SpawnMeter::Measure::Build::make($suite, 'kernels');
    die "the build failed:\n$words" if $status;
    my $counter = read_bytes("$suite->{binaries}/count.so");
    my ($letter, @boots) = 'A';

    for my $image (@images) {
        my $side = side($suite, $qemu, $image, $letter++);
        my %each = (qemu => $qemu, image => $image, side => $side, skip => WARM_UP);
        for my $seed (1 .. $suite->{option}{seeds} || 3) {
            my @order = shuffled(\(my $state = $seed * SPREAD), @{ $plan->{tests} });
            my %boot = (%each, seed => $seed, tests => \@order);
            $boot{what} = "$image->{kernel}{name}, seed $seed";
            $boot{folder} = "$plan->{folder}/$side->{name}-$seed";
            push @boots, laid_out(\%boot, files_of($suite, $side, @order), $counter);
        }
        push @{ $plan->{sides} }, $side;
    }
    return @boots;
}

# -> { path => bytes of a file } of the initramfs
sub files_of {
    my ($suite, $side, @tests) = @_;
    my ($catalog, $machine) = ($suite->{catalog}, $side->{kernel}{machine});
    my $programs = $side->{programs} // "$suite->{binaries}/static";
    my %file = (init => program("$programs/process1", $machine));
    for my $test (@tests) {
        my ($name, $program) = @{$test}{qw(name program)};
        my ($starts, $is_again) =
            map { scalar has_feature($catalog, $test, $_) } qw(target own-target);
        my $options = "@{ $test->{options} } @{ $side->{options} }";
        for my $option ($options =~ /(?<!\S)--([a-z]\S*)/g) {
            die "kernels: $name takes no --$option; name tests that do\n"
                if !has_feature($catalog, $test, $suite->{feature_of}{$option});
        }
        my $target = $options =~ s/--exec (\S+)// ? $1 : 'true-static';
        $target = "$programs/$target" if $target !~ m{/};
        $options .= ' --no-latency' if $starts || !$is_again;
        $options .= ' --exec /s/target' if $starts;
        $file{'s/target'} = program($target, $machine) if $starts;
        $file{"s/$program"} = program("$programs/$program", $machine);
        my $count = WARM_UP + 1 + ($starts ? FEW : MANY);
        $file{tests} .= "/s/$program --count $count $options @{ $test->{arguments} }\n";
    }
    return \%file;
}

sub program {
    my ($path, $machine) = @_;
    my $bytes = read_bytes($path);
    return $bytes if defined $bytes && $ELF{$machine} == unpack 'x18 v', $bytes;
    die "kernels: $path: ", defined $bytes ? "not a program for $machine" : $!, '; make kernels ',
        "builds it, with BINDIR=DIR and a compiler for $machine that of --programs-a DIR/static\n";
}

# ---- counting ----

sub counted_run {
    my ($plan) = @_;
    my ($suite, @boots) = ($plan->{suite}, @{ $plan->{boots} });
    my ($began, $made) = (time, scalar count($plan, @boots));
    my @passes = map { passes($_) } @boots;
    if (defined $suite->{option}{functions}) {
        my @listing = map { listing($plan, $_, @passes) } @{ $plan->{sides} };
        $made += count($plan, @listing);
        $_->{side}{functions} = decode($_->{text}) for @listing;
    }
    my %cost = (boots => $made, wall => time - $began);
    my @name = ($ENV{UB_OUTPUT_FILE_NAME}, 'kernels');
    my $results = SpawnMeter::Store::ResultFiles::open_results($suite->{results}, @name);
    my ($log, $journal) = @{$results}{qw(log journal)};
    write_all($log, join q{}, map { "## $_->{what}\n" . ($_->{console} // "kept\n") } @boots);
    SpawnMeter::Store::ResultFiles::begin($results, { head($plan), started => $began });
    $journal->append(pass => $_) for @passes;
    $journal->append(end  => { complete => 1, cost => \%cost });
    $plan->{results} = $results;
    return $journal->run;
}

# Gives all boots text => what was counted, from one of equal ones or the cache -> how many booted
sub count {
    my ($plan, @boots) = @_;
    my %first = map { $_->{key} => $_ } reverse @boots;
    my @unique = grep { $first{ $_->{key} } == $_ } @boots;
    $_->{text} = read_bytes("$plan->{cache}/$_->{key}") for @unique;
    my @new = grep { !defined $_->{text} } @unique;
    boot_new($plan, @new) if @new;
    $_->{text} = $first{ $_->{key} }{text} for @boots;
    return scalar @new;
}

sub boot_new {
    my ($plan, @new) = @_;
    my ($option, $folder) = ($plan->{suite}{option}, $plan->{cache});
    my ($number, $all) = (0, scalar @new);
    my $at_once = @{ SpawnMeter::Machine::Facts->new->allowed_cpus } > 1 ? 2 : 1;
    my $say = sub { print {*STDERR} visible_lines("$_[0]\n") if !$option->{quiet} };
    $say->("Boots in QEMU: $all, about " . minutes(MEAN * $all / $at_once) . q{.});
    File::Path::make_path($folder, { error => \my $ignored });
    unlink grep { -M > OLD } glob "\Q$folder\E/*";
    my $done = sub {
        my ($boot) = @_;
        $boot->{text} = encode(functions($boot)) if $boot->{list};
        eval { replace_file("$folder/$boot->{key}", $boot->{text}); 1 } or $say->("Not kept: $@");
        $say->("@{ $boot->{line} }") if $option->{verbose};
        $say->(sprintf '%3d of %d  %s', ++$number, $all, $boot->{what});
    };
    return boot_all(\@new, $at_once, $option->{limit} || LIMIT, $done);
}

sub passes {
    my ($boot) = @_;
    my %each = (copies => 1, side => $boot->{side}{name}, round => $boot->{seed}, status => 'ok');
    my (undef, @texts) = split /^test\n/m, $boot->{text};
    return map {
        my $name = $boot->{tests}[$_]{name};
        my @creations = map { [ map { $_ + 0 } split ] } $texts[$_] =~ /^c (.+)$/mg
            or die "$boot->{what}: no creation of $name was counted; its program is not that of "
            . "make kernels\n";
        +{ %each, test => $name, wall => 0, unit => 'instructions/op', %{ pass(\@creations) } };
    } 0 .. $#texts;
}

# The boot of the median seed again, which lists what its median creation executed
sub listing {
    my ($plan, $side, @passes) = @_;
    my $test = $plan->{suite}{option}{functions};
    my $pass = middle(grep { $_->{side} eq $side->{name} && $_->{test} eq $test } @passes);
    my ($boot) = grep { $_->{side} == $side && $_->{seed} == $pass->{round} } @{ $plan->{boots} };
    my ($number) = grep { $boot->{tests}[ $_ - 1 ]{name} eq $test } 1 .. @{ $boot->{tests} };
    my %list = (list => "$number.$pass->{counts}{creation}");
    return with_line($boot, %list, what => "$boot->{what}, functions of $test");
}

# ---- the run, and the exit status ----

sub head {
    my ($plan) = @_;
    my ($suite, $sides) = @{$plan}{qw(suite sides)};
    my %settings = (name => 'kernels', seeds => @{ $plan->{boots} } / @{$sides});
    $settings{functions} = $suite->{option}{functions};
    my %what = (kind => 'kernels', settings => \%settings, tests => $plan->{tests}, unscored => 1);
    return (about($suite), %what, sides => $sides, options => $suite->{option}{pass_on});
}

# Where one takes more for certain, those that may are not named
sub status_of {
    my ($limit, @rows) = @_;
    my $least = 1 + ($limit =~ s/%//r) / 100;
    my @may = grep { ($_->{high} // $least) >= $least } map { @{ $_->{others} } } @rows;
    my @more = grep { ($_->{low} // 0) >= $least } @may;
    my @tests = map { $_->{test} } @more ? @more : @may;
    my $words = @more ? 'take' : 'may take';
    print {*STDERR} "Run: these $words $limit more instructions: @tests\n" if @tests;
    return @more ? 1 : @may ? UNKNOWN : 0;
}

1;
