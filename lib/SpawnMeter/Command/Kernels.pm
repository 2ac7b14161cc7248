# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Kernels;

# ./Run kernels: counts the instructions of creating a process in kernels that are only files.
#
#   run(suite) -> exit status: 0; 2 where an image cannot be booted or a test fails in it; with
#       --fail-if-slower 1 where a test takes more instructions by so much, and otherwise 3 where
#       that is not known of one; with --bisect those of git bisect run

use strict;
use warnings;
use Cwd                                ();
use Digest::SHA                        qw(sha256_hex);
use File::Path                         ();
use List::Util                         qw(max min sum);
use SpawnMeter::Analysis::Instructions qw(middle pass summary);
use SpawnMeter::Catalog::KernelOptions qw(different);
use SpawnMeter::Catalog::Tests         qw(has_feature);
use SpawnMeter::Command::Output        qw(finish write_or_print SILENT);
use SpawnMeter::Machine::Counters      qw(cpus_in_use);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Measure::Boot qw(boot_all counted functions initramfs line_of parameters
    qemu);
use SpawnMeter::Measure::Build;
use SpawnMeter::Measure::KernelImage qw(fault image is_image);
use SpawnMeter::Measure::Session     qw(alone about);
use SpawnMeter::Report::Counted      ();
use SpawnMeter::Store::ResultFiles;
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::File   qw(no_folder read_bytes replace_file write_all write_bytes);
use SpawnMeter::Util::Format qw(did_you_mean minutes visible_lines);
use SpawnMeter::Util::Random;

use constant {
    LIMIT   => 120,       # seconds of CPU time
    WARM_UP => 10,        # creations
    MANY    => 200,       # creations that are counted,
    FEW     => 50,        # and of tests that start a program
    AT_ONCE => 2,         # boots
    MEAN    => 10,        # seconds of a boot
    OLD     => 60,        # days after which what was counted is removed
    MB      => 1024**2,
    SPREAD  => 4e7,       # between the seeds of orders
    UNKNOWN => 3,         # exit status
};
my %ELF = (x86_64 => 62, aarch64 => 183, riscv64 => 243);    # machines of elf(5)

sub run {
    my ($suite) = @_;
    my $status = eval { compared($suite) };
    return $status if defined $status;
    my $fault = fault($@) // die $@;
    print {*STDERR} visible_lines("Run: $fault"), "\n";
    return $suite->{option}{bisect} ? UNKNOWN : 2;
}

sub compared {
    my ($suite) = @_;
    my $option = $suite->{option};
    my ($images, @tests) = named($suite);
    alone($suite);
    my $tmp = SpawnMeter::Util::Cleanup::temporary($suite->{tmp});
    my @sides = sides($suite, "$tmp", @{$images});
    die "--fail-if-slower: needs two images, or one with --boot-b\n"
        if defined $option->{'fail-if-slower'} && @sides < 2;
    my $listed = $option->{functions};
    die "--functions $listed: name one of the tests: ", join(q{ }, map { $_->{name} } @tests), "\n"
        if defined $listed && !grep { $_->{name} eq $listed } @tests;
    my @boots = boots($suite, qemu($sides[0]{image}{machine}), "$tmp", \@sides, \@tests);
    keep($option->{keep}, @boots) if defined $option->{keep};
    my @name = ($ENV{UB_OUTPUT_FILE_NAME}, 'kernels');
    my $results = SpawnMeter::Store::ResultFiles::open_results($suite->{results}, @name);
    my $run = eval { counted_run($suite, $results, \@boots, \@sides, \@tests) };
    my $why = $@;
    SpawnMeter::Store::ResultFiles::forget($results) if !$run;
    die $why if !$run;
    my %session = (suite => $suite, results => $results, no_report => $option->{csv});
    my $failed = finish(\%session, $run);
    my $summary = summary($run);
    write_or_print(undef, SpawnMeter::Report::Counted::csv($summary))
        if $option->{csv} && ($option->{quiet} || 0) < SILENT;
    return $option->{bisect} ? 2 : 1 if $failed;
    return status_of($option->{'fail-if-slower'}, $summary);
}

# -> ([images], tests).  A name that is neither is that of a kernel in /boot
sub named {
    my ($suite) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    my $catalog = $suite->{catalog};
    my %test = (%{ SpawnMeter::Catalog::Tests::groups_of($catalog) }, all => 1);
    $test{ $_->{name} } = 1 for @{ $catalog->{tests} };
    my @images = grep { !$test{$_} } @names;
    die "kernels: needs an image of a kernel: a file or a folder, or the version of one in /boot\n"
        if !@images;
    for my $name (grep { !is_image($_) } @images) {
        die "'$name' is neither a test nor an image: there is no such file and no "
            . "/boot/vmlinuz-$name"
            . did_you_mean($name, [ keys %test ]) . "\n";
    }
    my @tests = SpawnMeter::Catalog::Tests::choose($catalog, grep { $test{$_} } @names);
    my ($foreign) = map { $_->{name} } grep { $_->{tree} } @tests;
    die "kernels: $foreign: the test of a classic tree cannot be counted\n" if defined $foreign;
    return (\@images, @tests);
}

# ---- sides ----

# One image has two sides where something is given for one of them
sub sides {
    my ($suite, $tmp, @words) = @_;
    my $option = $suite->{option};
    my ($given) = grep { defined $option->{$_} } map { ("boot-$_", "programs-$_", $_) } qw(a b);
    die "kernels: --$given is for one or two images, got " . @words . "\n"
        if @words > 2 && defined $given;
    my @images = map { scalar image($_, $tmp) } @words;
    for my $image (@images) {
        die "kernels: all images must be of one architecture: $image->{name} is for "
            . "$image->{machine}, $images[0]{name} for $images[0]{machine}\n"
            if $image->{machine} ne $images[0]{machine};
    }
    @images = @images[ 0, 0 ] if @images == 1 && defined $given;
    my $letter = 'A';
    return map { side($suite, $letter++, $_) } @images;
}

sub side {
    my ($suite, $name, $image) = @_;
    my ($option, $own) = ($suite->{option}, lc $name);
    my $boot = join q{ }, grep { defined } @{$option}{ 'boot', "boot-$own" };
    my $programs = $option->{"programs-$own"};
    die "--programs-$own: $programs: ", no_folder($programs), "\n"
        if defined $programs && !-d $programs;
    return {
        name     => $name,
        image    => $image,
        boot     => parameters($image, $boot),
        given    => $boot,
        options  => [ @{ $option->{pass_on} }, @{ $option->{$own} || [] } ],
        programs => Cwd::abs_path($programs // "$suite->{binaries}/static"),
    };
}

# ---- what is booted ----

# -> of each side and seed { key, side, seed, tests => in their order, ... of Measure::Boot }; those
# of one key are the same.  What ran before a test changes it, so each seed has its own order
sub boots {
    my ($suite, $qemu, $tmp, $sides, $tests) = @_;
    my $option = $suite->{option};
    my ($status, $words) = SpawnMeter::Measure::Build::make($suite, 'kernels');
    die "the build failed:\n$words" if $status;
    my $size = $option->{memory} // '512M';
    my ($memory, $unit) = $size =~ /^([\d.]+)([kMGT]?)/;
    $memory *= { q{} => 1 / MB, k => 1 / 1024, M => 1, G => 1024 }->{$unit} || 0;
    die "--memory $size: give a whole number of MB, at least 64M\n"
        if $memory < 64 || $memory != int $memory;
    my @boots;

    for my $side (@{$sides}) {
        my $image = $side->{image};
        my %each = (qemu => $qemu, side => $side, memory => $memory, skip => WARM_UP, tmp => $tmp);
        @each{qw(image parameters)} = ($image->{path}, $side->{boot});
        for my $seed (1 .. $option->{seeds} || 3) {
            my @order = SpawnMeter::Util::Random->new($seed * SPREAD)->shuffled(@{$tests});
            my %boot = (%each, seed => $seed, what => "$image->{name}, seed $seed");
            @boot{qw(files hash)} = files_of($suite, $tmp, $side, @order);
            push @boots, bootable(%boot, tests => \@order);
        }
    }
    return @boots;
}

sub bootable {
    my (%boot) = @_;
    my %nowhere = (image => $boot{side}{image}{sha256}, files => $boot{hash}, folder => q{});
    my @line = @{ line_of({ %boot, %nowhere }) };
    my $key = sha256_hex("$boot{qemu}{version} @line");
    %boot = (%boot, key => $key, folder => "$boot{tmp}/boot-$key");
    return { %boot, line => line_of(\%boot) };
}

# -> (folder with what a side boots, which it shares with others that have the same, hash of it)
sub files_of {
    my ($suite, $tmp, $side, @tests) = @_;
    my $own = $suite->{binaries};
    my $machine = $side->{image}{machine};
    my ($counter, %file) = program($own, 'count.so');
    $file{init} = program($side->{programs}, 'process1', $machine);
    for my $test (@tests) {
        my $name = $test->{program};
        my ($starts, $is_again) =
            map { scalar has_feature($suite->{catalog}, $test, $_) } qw(target own-target);
        my @options = (@{ $test->{options} }, @{ $side->{options} });
        refuse_options($suite, $test, @options);
        my ($at) = grep { $options[$_] eq '--exec' } 0 .. $#options;
        my (undef, $target) = defined $at ? splice(@options, $at, 2) : ();
        push @options, '--no-latency' if $starts || !$is_again;
        push @options, qw(--exec /s/target) if $starts;
        my $path = $target // 'true-static';
        $file{'s/target'} = program($path =~ m{/} ? q{} : $side->{programs}, $path, $machine)
            if $starts;
        $file{"s/$name"} = program($side->{programs}, $name, $machine);
        my $count = WARM_UP + 1 + ($starts ? FEW : MANY);
        $file{tests} .= "/s/$name --count $count @options @{ $test->{arguments} }\n";
    }
    my $archive = initramfs(\%file);
    my $hash = sha256_hex($counter . $archive);
    my $folder = "$tmp/files-$hash";
    return ($folder, $hash) if !mkdir $folder;
    write_bytes("$folder/initramfs", $archive);
    write_bytes("$folder/count.so", $counter);
    return ($folder, $hash);
}

# Of this architecture, where it is given
sub program {
    my ($folder, $name, $machine) = @_;
    my $bytes = read_bytes("$folder/$name")
        // die "kernels: $folder/$name: $!; make kernels builds "
        . "what is needed, linked statically\n";
    die "kernels: $folder/$name is not a program for $machine; make kernels BINDIR=DIR with a "
        . "compiler for it builds those, which --programs-a and -b DIR/static name\n"
        if defined $machine && $ELF{$machine} != unpack 'x18 v', $bytes;
    return $bytes;
}

sub refuse_options {
    my ($suite, $test, @options) = @_;
    for my $name (map { /^--(.+)/ ? $1 : () } @options) {
        die "kernels: $test->{name} takes no --$name; name tests that do\n"
            if !has_feature($suite->{catalog}, $test, $suite->{feature_of}{$name});
    }
    return;
}

# ---- counting ----

sub counted_run {
    my ($suite, $results, $boots, $sides, $tests) = @_;
    my ($began, $test, $cost) = (time, $suite->{option}{functions}, { boots => 0, kept => 0 });
    my ($log, $journal) = @{$results}{qw(log journal)};
    my %text = texts_of($suite, $log, $cost, @{$boots});
    my @passes = map { passes($_, $text{ $_->{key} }) } @{$boots};
    if (defined $test) {
        my @listed = map { listed($_, $test, $boots, @passes) } @{$sides};
        %text = texts_of($suite, $log, $cost, @listed);
        for my $side (@{$sides}) {
            my %of = $text{ (shift @listed)->{key} } =~ /^f (\S+) (\d+)$/mg;
            $side->{functions} = { map { $_ => $of{$_} + 0 } keys %of };
            print {*STDERR}
                "Run: $side->{image}{name}: no symbols in /proc/kallsyms that fit what "
                . "was executed, so no functions\n"
                if !%of;
        }
    }
    my %run = (head($suite, $boots, $sides, $tests), started => $began);
    SpawnMeter::Store::ResultFiles::begin($results, \%run);
    $journal->append(pass => $_) for @passes;
    $cost->{wall} = time - $began;
    $journal->append(end => { complete => 1, cost => $cost });
    return $journal->run;
}

# The boot of the median seed again, which lists the functions of its median creation
sub listed {
    my ($side, $test, $boots, @passes) = @_;
    my $pass = middle(grep { $_->{side} eq $side->{name} && $_->{test} eq $test } @passes);
    my ($boot) = grep { $_->{side} == $side && $_->{seed} == $pass->{round} } @{$boots};
    my ($number) = grep { $boot->{tests}[ $_ - 1 ]{name} eq $test } 1 .. @{ $boot->{tests} };
    my %again = (%{$boot}, list => "$number.$pass->{counts}{creation}", sum => $pass->{rate});
    return bootable(%again, what => "$boot->{what}, functions of $test");
}

# -> { key => what was counted in the boots that have it }
sub texts_of {
    my ($suite, $log, $cost, @boots) = @_;
    my $folder = defined $suite->{cache} ? "$suite->{cache}/kernels" : undef;
    my %first = map { $_->{key} => $_ } reverse @boots;
    my @unique = grep { $first{ $_->{key} } == $_ } @boots;
    $_->{text} = cached($folder, $_->{key}) for @unique;
    my @new = grep { !defined $_->{text} } @unique;
    count($suite, $log, $folder, @new) if @new;
    $cost->{boots} += @new;
    $cost->{kept}  += @unique - @new;
    return map { $_->{key} => $_->{text} } @unique;
}

sub count {
    my ($suite, $log, $folder, @new) = @_;
    my ($option, $done, $all) = ($suite->{option}, 0, scalar @new);
    my $facts = SpawnMeter::Machine::Facts->new;
    my $free = @{ $facts->allowed_cpus } - (cpus_in_use($facts->{root}) || 0);
    my $at_once = max(1, min(AT_ONCE, int $free + 0.5));
    my $say = sub { print {*STDERR} visible_lines("$_[0]\n") if !$option->{quiet} };
    $say->("Boots in QEMU: $all, about " . minutes(MEAN * $all / $at_once) . q{.});
    boot_all(
        \@new,
        $at_once,
        $option->{limit} || LIMIT,
        sub {
            my ($boot) = @_;
            my $console = read_bytes("$boot->{folder}/console");
            $boot->{text} = functions_of($boot, $console) if $boot->{list};
            store($folder, @{$boot}{qw(key text)});
            write_all($log, "## $boot->{what}\n" . $console) if !$boot->{list};
            $say->(join q{ }, @{ $boot->{line} }) if $option->{verbose};
            $done++;
            $say->(sprintf '%3d of %d  %s: %.1f s of CPU', $done, $all, @{$boot}{qw(what cpu)});
        }
    );
    return;
}

# As they are kept
sub functions_of {
    my ($boot, $console) = @_;
    my %instructions = %{ functions($boot->{text}, $console) };
    die "$boot->{what}: their sum is not what was counted before\n"
        if %instructions && $boot->{sum} != sum(values %instructions);
    return join q{}, map({ "f $_ $instructions{$_}\n" } sort keys %instructions), "end\n";
}

sub cached {
    my ($folder, $key) = @_;
    my $text = defined $folder ? read_bytes("$folder/$key") : undef;
    return defined $text && $text =~ /^end\n\z/m ? $text : undef;
}

# In vain where there is no room
sub store {
    my ($folder, $key, $text) = @_;
    return if !defined $folder;
    File::Path::make_path($folder, { error => \my $ignored });
    unlink grep { -M > OLD } glob "\Q$folder\E/*";
    return eval { replace_file("$folder/$key", $text); 1 };
}

sub passes {
    my ($boot, $text) = @_;
    my %each = (copies => 1, side => $boot->{side}{name}, round => $boot->{seed}, status => 'ok');
    my @counted = counted($text);
    return map {
        my ($of, $name) = ($counted[$_], $boot->{tests}[$_]{name});
        die "$boot->{what}: no creation of $name was counted; its program is not that of make "
            . "kernels\n"
            if !$of || !@{ $of->{creations} };
        my %pass = (test => $name, wall => 0, unit => 'instructions/op');
        +{ %each, %pass, %{ pass($of) } }
    } 0 .. $#counted;
}

sub head {
    my ($suite, $boots, $sides, $tests) = @_;
    my @tests = map {
        my $test = $_;
        +{ map { $_ => $test->{$_} } qw(name title category) }
    } @{$tests};
    return (
        about($suite),
        kind     => 'kernels',
        settings => {
            name      => 'kernels',
            seeds     => @{$boots} / @{$sides},
            functions => $suite->{option}{functions}
        },
        options  => $suite->{option}{pass_on},
        unscored => 1,
        blocks   => [],
        tests    => \@tests,
        sides    => [ map { side_record($suite, $boots->[0], $_) } @{$sides} ],
    );
}

sub side_record {
    my ($suite, $boot, $side) = @_;
    my $image = $side->{image};
    my %all = %{ $image->{configuration} || {} };
    my @listed = different("$suite->{root}/pgms/kernel-options.list", \%all, {});
    my %kernel = map { $_ => $image->{$_} } qw(name machine version banner sha256);
    @kernel{qw(parameters given)} = @{$side}{qw(boot given)};
    @kernel{qw(qemu model memory)} = (@{ $boot->{qemu} }{qw(version model)}, "$boot->{memory}M");
    return {
        name          => $side->{name},
        options       => $side->{options},
        configuration => { map { $_ => $all{$_} } @listed },
        kernel        => \%kernel,
        functions     => $side->{functions},
    };
}

# What was booted, and a script for each boot
sub keep {
    my ($folder, @boots) = @_;
    eval { File::Path::make_path($folder); 1 } or die "--keep $folder: $!\n";
    $folder = Cwd::abs_path($folder);
    for my $boot (@boots) {
        my ($name) = $boot->{files} =~ m{([^/]+)\z};
        File::Path::make_path("$folder/$name");
        write_bytes("$folder/$name/$_", read_bytes("$boot->{files}/$_")) for qw(initramfs count.so);
        my %there = (files => "$folder/$name", image => Cwd::abs_path($boot->{image}));
        my @words =
            map { q{'} . s/'/'\\''/gr . q{'} } @{ line_of({ %{$boot}, %there, folder => q{.} }) };
        my $script = "$folder/boot-$boot->{side}{name}-$boot->{seed}.sh";
        write_bytes($script, "#!/bin/sh\n# leaves here: counted, console\nexec @words\n");
        chmod oct 755, $script;
    }
    return;
}

# ---- the exit status ----

sub status_of {
    my ($limit, $summary) = @_;
    return 0 if !defined $limit;
    my $most = 1 + ($limit =~ s/%//r) / 100;
    my (@more, @open);
    for my $row (@{ $summary->{rows} }) {
        for my $other (grep { $_ } @{ $row->{others} }) {
            push @more, sprintf '%s by %.1f %%', $row->{test}, 100 * ($other->{ratio} - 1)
                if ($other->{low} || 0) >= $most;
            push @open, $row->{test} if !defined $other->{high} || $other->{high} > $most;
        }
    }
    print {*STDERR} 'Run: more instructions: ', join(', ', @more), "\n" if @more;
    print {*STDERR} "Run: no test takes $limit more instructions, but these may: @open\n"
        if @open && !@more;
    return @more ? 1 : @open ? UNKNOWN : 0;
}

1;
