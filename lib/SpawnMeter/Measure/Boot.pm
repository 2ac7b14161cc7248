# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Boot;

# Boots kernel images in QEMU, which counts the instructions of each creation (src/kernels).
#
#   qemu(machine) -> { program, version, model => of the CPU }; dies where there is none, or one
#       without plugins
#   initramfs({ path => bytes of a file }) -> its bytes
#   line_of({ qemu, image, files => folder with initramfs and count.so, folder => for what comes of
#       it, parameters, memory => MB, seed, skip => creations, list => "TEST.CREATION", numbers of
#       one whose functions are wanted, or undef }) -> [QEMU's command line]
#   parameters(image, text of the user) -> the kernel's command line
#   boot_all([boots], at once, seconds without progress, sub (boot)): boots each { line, folder =>
#       for what comes of it, what => in words }, and calls the sub after each, which has text =>
#       what was counted, cpu => seconds; dies with SpawnMeter::Measure::KernelImage's
#       object where one does not come to its end
#   counted(text) -> ({ creations => [ [instructions of the kernel, of programs, elements] ] }, ...)
#       of each test
#   functions(text, console) -> { function, or programs => its instructions } of the creation that
#       is listed; empty where the kernel has no symbols, or not those of what it executed

use strict;
use warnings;
use Exporter 'import';
use POSIX                            ();
use Time::HiRes                      qw(sleep);
use SpawnMeter::Measure::KernelImage qw(unusable);
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::File    qw(read_bytes);
use SpawnMeter::Util::Format  qw(plain);
use SpawnMeter::Util::Process qw(output);
use SpawnMeter::Util::Programs;

our @EXPORT_OK = qw(boot_all counted functions initramfs line_of parameters qemu);

use constant {
    LEAST  => 2 * 1024**2,    # bytes of an initramfs: a smaller one hangs microvm of QEMU 10
    LOOK   => 0.05,           # seconds between two looks at what runs
    LINES  => 3,              # of the console in a message
    OF_OLD => 5.018,          # the first version in which clearcpuid= takes names
    FITS   => 0.9,            # of the functions that were executed: whose first address was
};

# A named model of the CPU: -cpu max is another CPU in each QEMU
my %MACHINE = (
    x86_64 => {
        package => 'qemu-system-x86',
        model   => 'Skylake-Server',
        line    => [ '-M', 'microvm,pic=on,pit=on,rtc=on,isa-serial=on' ],
        kernel => 'console=ttyS0 no5lvl no_timer_check lpj=4000000 tsc=reliable nokprobes reboot=t',
    },
    aarch64 => {
        package => 'qemu-system-arm',
        model   => 'neoverse-n1',
        line    => [ -M => 'virt' ],
        kernel  => 'console=ttyAMA0',
    },
    riscv64 => {
        package => 'qemu-system-misc opensbi',
        model   => 'rv64',
        line    => [ -M => 'virt' ],
        kernel  => 'console=ttyS0',
    },
);

sub qemu {
    my ($machine) = @_;
    my $traits = $MACHINE{$machine} or unusable("kernels of $machine cannot be counted yet");
    my $program = SpawnMeter::Util::Programs::found("qemu-system-$machine");
    die "kernels: qemu-system-$machine is not installed; as root:\n"
        . "    apt-get install --no-install-recommends $traits->{package}\n"
        if !defined $program;
    my (undef, $version) = output($program, '--version');
    my (undef, $help) = output($program, '--help');
    die "kernels: $program has no plugins (built with --disable-plugins?); install another QEMU\n"
        if $help !~ /^-plugin\b/m;
    ($version) = $version =~ /version (\S+)/;
    return { %{$traits}, program => $program, version => $version // 'unknown' };
}

# Both sides get the same: the plain string functions, since TCG counts each element of the others
# where a kernel chooses them by the CPU; a fixed layout; no self-tests in the background
sub parameters {
    my ($image, $text) = @_;
    my ($major, $minor) = $image->{version} =~ /\A(\d+)[.](\d+)/;
    my $is_old = defined $minor && $major + $minor / 1000 < OF_OLD;
    my $without = $is_old ? '112,297,580,395' : 'rep_good,erms,fsrm,fsrs';
    my @all = ('quiet panic=-1 nokaslr norandmaps cryptomgr.notests');
    push @all, $MACHINE{ $image->{machine} }{kernel};
    push @all, "clearcpuid=$without" if $image->{machine} eq 'x86_64';
    push @all, $text if length $text;
    return "@all";
}

sub line_of {
    my ($boot) = @_;
    my ($qemu, $files, $folder) = @{$boot}{qw(qemu files folder)};
    my $fixed = '-smp 1 -accel tcg,thread=single -icount shift=3,sleep=off -nodefaults -no-reboot '
        . '-display none -rtc base=2026-01-01T00:00:00,clock=vm';
    my $list = $boot->{list} ? ",list=$boot->{list}" : q{};
    return [
        $qemu->{program}, @{ $qemu->{line} }, split(q{ }, $fixed),
        -cpu    => $qemu->{model},
        -m      => $boot->{memory},
        -seed   => $boot->{seed},
        -serial => "file:$folder/console",
        -plugin => "$files/count.so,out=$folder/counted,skip=$boot->{skip}$list",
        -kernel => $boot->{image},
        -initrd => "$files/initramfs",
        -append => $boot->{parameters},
    ];
}

# ---- the initramfs: an archive of cpio, format newc ----

sub initramfs {
    my ($files) = @_;
    my $number = 0;
    my $entry = sub {
        my ($name, $mode, $bytes, @device) = @_;
        $number++;
        my $head = join q{}, '070701', map { sprintf '%08x', $_ } $number, $mode, 0, 0, 1, 0,
            length $bytes, 0, 0, @device ? @device : (0, 0), 1 + length $name, 0;
        my $text = $head . $name . "\0";
        $text .= "\0" x (-length($text) % 4);
        return $text . $bytes . "\0" x (-length($bytes) % 4);
    };
    my $archive = join q{}, map({ $entry->($_, oct 40_755, q{}) } qw(dev groups proc s sys tmp)),
        $entry->('dev/console', oct 20_600, q{}, 5, 1), $entry->('dev/null', oct 20_666, q{}, 1, 3),
        map({ $entry->($_, oct 100_755, $files->{$_}) } sort keys %{$files}),
        $entry->('TRAILER!!!', 0, q{});
    my $least = LEAST;
    return $archive . "\0" x (length $archive < $least ? $least - length $archive : 0);
}

# ---- booting ----

sub boot_all {
    my ($boots, $at_once, $limit, $done) = @_;
    my @waiting = @{$boots};
    my @running;
    while (@waiting || @running) {
        push @running, begun(shift @waiting) while @waiting && @running < $at_once;
        sleep LOOK;
        my @still;
        for my $boot (@running) {
            if (!has_ended($boot, $limit)) { push @still, $boot; next }
            check($boot, $limit);
            $done->($boot);
        }
        @running = @still;
    }
    return;
}

sub begun {
    my ($boot) = @_;
    mkdir $boot->{folder}                       or die "$boot->{folder}: $!\n";
    open my $err, '>', "$boot->{folder}/errors" or die "$boot->{folder}: $!\n";
    my %command = (line => $boot->{line}, marked => 1);
    $boot->{pid} = SpawnMeter::Util::Process::child(\%command, $err, $err);
    @{$boot}{qw(cpu progress size)} = (0) x 3;
    return $boot;
}

# Its CPU time since it wrote something is limited: the machine may be busy
sub has_ended {
    my ($boot, $limit) = @_;
    my $pid = $boot->{pid};
    my @fields = SpawnMeter::Util::Cleanup::after_name($pid);
    $boot->{cpu} = ($fields[11] + $fields[12]) / POSIX::sysconf(POSIX::_SC_CLK_TCK())
        if @fields > 12;
    my $size = -s "$boot->{folder}/counted" || 0;
    @{$boot}{qw(size progress)} = ($size, $boot->{cpu}) if $size != $boot->{size};
    if ($boot->{cpu} - $boot->{progress} > $limit) {
        $boot->{late} = 1;
        kill 'KILL', $pid;
    }
    return if waitpid($pid, POSIX::WNOHANG()) != $pid;
    $boot->{status} = $?;
    SpawnMeter::Util::Cleanup::ungroup($pid);
    return 1;
}

# What a console says, and what it means
my @MEANING = (
    [
        qr/unable to mount root|no working init/i => 'it cannot use an initramfs: build it with '
            . 'CONFIG_BLK_DEV_INITRD'
    ],
    [
        qr/out of memory|memory exhausted|write error/i => 'it is out of memory: give more by '
            . '--memory'
    ],
);

sub check {
    my ($boot, $limit) = @_;
    $boot->{text} = read_bytes("$boot->{folder}/counted") // q{};
    return if $boot->{text} =~ /^end\n\z/m && $boot->{text} !~ /^failed$/m;
    my $console = read_bytes("$boot->{folder}/console") // q{};
    my $errors = read_bytes("$boot->{folder}/errors") // q{};
    $errors = join "\n", grep { !/warning: TCG doesn't support requested feature/ } split /\n/,
        $errors;
    my @lines = grep { /\S/ } split /[\r\n]+/, $console;
    splice @lines, 0, -LINES if @lines > LINES;
    my $last = join "\n  ", '; its last lines:', @lines ? @lines : '(none)';
    my ($failed) = $console =~ m{^spawnmeter: (/s/\S+: status .*)}m;
    my ($panic) = $console =~ /Kernel panic - not syncing: ([^\r\n]*)/;
    my ($meaning) = map { $_->[1] } grep { $console =~ $_->[0] } @MEANING;
    my $signal = $boot->{status} & 127;
    my $why =
          $failed        ? "a test failed: $failed"
        : $meaning       ? $meaning
        : $panic         ? "the kernel panicked: $panic"
        : $boot->{late}  ? "no creation within $limit s of CPU time (--limit)$last"
        : $signal        ? "QEMU was killed by signal $signal"
        : length $errors ? "QEMU failed: $errors"
        :   "it ended before the tests did; if it lacked memory, give more by --memory$last";
    die "$why\n" if $errors =~ /spawnmeter: cannot write/;
    return unusable("$boot->{what}: " . join "\n", map { plain($_) } split /\n/, $why);
}

sub counted {
    my ($text) = @_;
    my @tests;
    for my $line (split /\n/, $text) {
        my ($kind, @values) = split q{ }, $line;
        if    ($kind eq 'test') { push @tests, { creations => [] } }
        elsif ($kind eq 'c') {
            push @{ $tests[-1]{creations} }, [ map { $_ + 0 } @values ];
        }
    }
    return @tests;
}

# Symbols are those of the kernel that ran, so they fit; that functions begin where a block does
# shows it
sub functions {
    my ($text, $console) = @_;
    my @symbols = sort $console =~ /^([\da-f]{16} [tTwW] \S+)/mg;
    my ($next, $begin, $name, %executed, %of, %entered) = (0, q{});
    $executed{$1} += $2 while $text =~ /^b ([\da-f]{16}) (\d+)$/mg;
    for my $address (sort keys %executed) {
        while ($next < @symbols && $symbols[$next] lt "$address ~") {
            my ($at, undef, $word) = split q{ }, $symbols[ $next++ ];
            ($begin, $name) = ($at, $word) if $at ne $begin;
        }
        my $in = $address lt '8' ? 'programs' : $name;
        return {} if !defined $in;
        $of{ $in =~ s/[.](?:isra|constprop|part|cold)\b.*//r } += $executed{$address};
        $entered{$in} ||= $address eq $begin || 0 if $address ge '8';
    }
    my $fitting = grep { $_ } values %entered;
    return $fitting < FITS * keys %entered ? {} : \%of;
}

1;
