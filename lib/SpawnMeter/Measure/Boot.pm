# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Boot;

# Kernels that are only files: what they are, and how QEMU boots them and counts the instructions of
# each creation (src/kernels).
#
#   path_of(word) -> the path of what a word of a command line names, or undef
#   image(word, folder where packages and zboot images are unpacked) -> { path, kernel => { name,
#       machine => as QEMU calls it, version, banner => what it says of itself, sha256 },
#       configuration => { option => value }, symbols => its System.map, or undef }
#   qemu(machine) -> { command => [its words], version, model => of its CPU }; dies where there is
#       none, or one without plugins
#   parameters(kernel of an image, text of the user) -> the kernel's command line
#   laid_out({ qemu, image, side => whose kernel has parameters and memory, seed, skip => creations,
#       folder, what => in words }, { path => bytes of a file of the initramfs }, bytes of the
#       plugin) -> boot: its folder has all that QEMU reads, and boot.sh
#   with_line(boot; list => "TEST.CREATION", numbers of one whose blocks are wanted) -> boot with
#       line => [QEMU's command line], key => the same for all that count the same
#   boot_all([boots], at once, seconds of CPU time at most, sub (boot)): boots each, and calls the
#       sub after it with text => what was counted, and console
#   functions(boot after that) -> { function, or programs => its instructions } of the creation that
#       is listed; empty where there are no symbols of what was executed
#
# Where an image cannot be booted, or a test fails in it, they die with a reference to the message.
# Formats: x86/boot.rst, arm64/booting.rst and riscv/boot-image-header.rst of Documentation/arch,
# Makefile.zboot of drivers/firmware/efi/libstub, deb(5).

use strict;
use warnings;
use Cwd         ();
use Digest::SHA qw(sha256_hex);
use Exporter 'import';
use File::Basename qw(basename dirname);
use File::Path     ();
use List::Util     qw(first max);
use POSIX          ();
use Time::HiRes    qw(sleep);
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::File    qw(read_bytes slurp write_bytes);
use SpawnMeter::Util::Format  qw(plain);
use SpawnMeter::Util::Process qw(output);
use SpawnMeter::Util::Programs;

our @EXPORT_OK = qw(boot_all functions image path_of laid_out parameters qemu with_line);

use constant {
    LEAST => 2 * 1024**2,    # bytes of an initramfs: a smaller one hangs microvm of QEMU 10
    LOOK  => 0.05,           # seconds between two looks at what runs
    LINES => 4,              # of the console in a message
    FITS  => 0.9,            # of the functions that were executed: whose first address was
    XCPU  => 24,             # the signal of Linux at the limit of CPU time
};

# ---- images ----

sub unusable { my ($text) = @_; die \"$text\n" }

sub path_of {
    my ($word) = @_;
    return $word =~ m{/} || -e $word ? $word : first { -e } "/boot/vmlinuz-$word";
}

sub image {
    my ($word, $scratch) = @_;
    my $given = path_of($word);
    die "$given: no such file or folder\n" if !-e $given;
    my $path =
          -d $given             ? of_tree($given)
        : $given =~ /[.]deb\z/i ? of_package($given, $scratch)
        :                         $given;
    my $bytes = read_bytes($path) // die "$path: $!\n";
    ($path, $bytes) = unwrapped($given, $bytes, $scratch) if $bytes =~ /\AMZ..zimg/s;
    my ($machine, $banner) = recognised($given, $bytes);
    my ($version) = $banner =~ /\A(?:Linux version )?(\S+)/;
    my ($ending) = basename($path) =~ /(-.+|)\z/;
    my $beside = dirname($path);
    my $config = first { -f } "$beside/config$ending", "$given/.config";
    my $symbols = first { -f } "$beside/System.map$ending", "$given/System.map";
    my %set = (slurp($config // q{}) // q{}) =~ /^CONFIG_(\w{1,64})=(.{1,80})$/mg;
    s/"//g for values %set;
    my %kernel = (name => basename($given =~ s{/+\z}{}r), machine => $machine);
    $kernel{version} = plain($version // 'unknown', 64);
    @kernel{qw(banner sha256)} = (plain($banner), sha256_hex($bytes));
    return { path => $path, kernel => \%kernel, configuration => \%set, symbols => $symbols };
}

# The images that make leaves there, or that of /lib/modules/VERSION
sub of_tree {
    my ($folder) = @_;
    my @images = map { glob "\Q$folder\E/$_" } qw(arch/x86/boot/bzImage arch/arm64/boot/Image
        arch/riscv/boot/Image vmlinuz);
    my ($newest) = sort { -M $a <=> -M $b } grep { -f } @images;
    return $newest // unusable("$folder: no arch/*/boot/bzImage or Image; build the kernel there");
}

# An archive of ar (deb(5)), of which the image and what belongs to it are unpacked: boot/
# vmlinuz-VERSION, or below lib/modules vmlinuz.  dpkg-deb needs no other program for what is packed
# by a compression that it knows
sub of_package {
    my ($file, $scratch) = @_;
    my $into = "$scratch/" . sha256_hex($file);
    File::Path::make_path($into);
    my $wanted = '--wildcards "*/vmlinu[xz]*" "*/config*" "*/System.map*"';
    my $words;
    for my $unpack ('dpkg-deb --fsys-tarfile "$0" | tar -xf -', 'ar x "$0" && tar -xf data.tar*') {
        my @line = ('sh', '-c', "cd \"\$1\" && $unpack $wanted");
        (undef, $words) = output(@line, Cwd::abs_path($file), $into);
        my $image = first { -f } map { glob "\Q$into\E/$_" } 'boot/vmlinu[xz]-*',
            '{usr/,}lib/modules/*/vmlinuz';
        return $image if defined $image;
    }
    return unusable("$file: no image of a kernel in this package: $words");
}

# A zboot image has another one in it: its place, its size, and the name of its compression
sub unwrapped {
    my ($given, $bytes, $scratch) = @_;
    my ($at, $size, $how) = unpack 'x8 VV x8 Z16', $bytes;
    my ($program) = $how =~ /\A(gzip|lz4|lzma|xz|zstd)/;
    unusable("$given: a zboot image packed by '$how'") if !$program || $at + $size > length $bytes;
    my $path = "$scratch/" . sha256_hex($bytes);
    write_bytes("$path.packed", substr $bytes, $at, $size);
    my (undef, $words) = output('sh', '-c', '"$0" -dc <"$1.packed" >"$1"', $program, $path);
    my $image = read_bytes($path);
    return length $image ? ($path, $image) : unusable("$given: $words");
}

# -> (machine, banner)
sub recognised {
    my ($given, $bytes) = @_;
    return (x86_64 => banner_of_x86($given, $bytes))
        if length $bytes > 0x264 && 'HdrS' eq substr $bytes, 0x202, 4;
    my $machine = $bytes =~ /\A.{56}ARM\x64/s ? 'aarch64' : undef;
    $machine = 'riscv64' if $bytes =~ /\A.{48}RISCV/s;
    unusable("$given: not a kernel image: name a bzImage, a vmlinuz, an Image of arm64 or riscv64, "
            . 'the .deb of a kernel, or a build tree')
        if !$machine;
    my ($banner) = $bytes =~ /(Linux version \d[^\n\0]{0,400})/;
    return ($machine, $banner // 'Linux version unknown');
}

sub banner_of_x86 {
    my ($given, $bytes) = @_;
    my ($sectors, $paragraphs, $at, $flags) = unpack '@497 C x2 V @526 v @566 v', $bytes;
    my $size = (($sectors || 4) + 1) * 512 + 16 * $paragraphs;
    my $has = length $bytes;
    unusable("$given: truncated: its header says $size bytes, and it has $has") if $has < $size;
    unusable("$given: a kernel for 32-bit x86") if !($flags & 1);
    return unpack 'Z400', substr $bytes, 512 + $at, 400;
}

# ---- QEMU ----

# The package of QEMU, the model of the CPU, the machine, and parameters of the kernel.  A named
# model: -cpu max is another CPU in each QEMU
my %MACHINE = (
    x86_64 => [
        'qemu-system-x86', 'Skylake-Server',
        'microvm,pic=on,pit=on,rtc=on,isa-serial=on',
        'console=ttyS0 no5lvl no_timer_check lpj=4000000 tsc=reliable nokprobes reboot=t'
    ],
    aarch64 => [ 'qemu-system-arm', 'neoverse-n1', 'virt', 'console=ttyAMA0' ],
    riscv64 => [ 'qemu-system-misc opensbi', 'rv64', 'virt', 'console=ttyS0' ],
);

sub qemu {
    my ($machine) = @_;
    my ($package, $model, $type) = @{ $MACHINE{$machine} };
    my $program = SpawnMeter::Util::Programs::found("qemu-system-$machine")
        // die "kernels: qemu-system-$machine is not installed; as root:\n"
        . "    apt-get install --no-install-recommends $package\n";
    my ($version, $help) = map { (output($program, $_))[1] } qw(--version --help);
    die "kernels: $program has no plugins (built with --disable-plugins?); install another QEMU\n"
        if $help !~ /^-plugin\b/m;
    ($version) = $version =~ /version (\S+)/;
    my @command = ($program, '-M', $type, '-cpu', $model);
    return { command => \@command, model => $model, version => $version // 'unknown' };
}

# Both sides get the same: the plain string functions, since TCG counts each element of the others
# where a kernel chooses them by the CPU (5.18 brought their names); a fixed layout; no self-tests
# in the background
sub parameters {
    my ($kernel, $given) = @_;
    my $has_names = $kernel->{version} !~ /\A(?:[2-4]|5[.](?:\d|1[0-7]))\b/;
    my $without = 'clearcpuid=' . ($has_names ? 'rep_good,erms,fsrm,fsrs' : '112,297,580,395');
    my @own = ($MACHINE{ $kernel->{machine} }[3], $kernel->{machine} eq 'x86_64' ? $without : ());
    return join q{ }, 'quiet panic=-1 nokaslr norandmaps cryptomgr.notests', @own, $given || ();
}

# ---- what is booted ----

# QEMU runs in the folder, so that its command line names no other one
sub laid_out {
    my ($boot, $files, $counter) = @_;
    my ($folder, $image) = @{$boot}{qw(folder image)};
    eval { File::Path::make_path($folder); 1 } or die "$folder: $!\n";
    my $archive = initramfs($files);
    write_bytes("$folder/initramfs", $archive);
    write_bytes("$folder/count.so", $counter);
    unlink "$folder/image";
    symlink Cwd::abs_path($image->{path}), "$folder/image" or die "$folder/image: $!\n";
    $boot = with_line($boot, content => $image->{kernel}{sha256} . sha256_hex($archive . $counter));
    my @words = map { q{'} . s/'/'\\''/gr . q{'} } @{ $boot->{line} };
    write_bytes("$folder/boot.sh", <<"END");
#!/bin/sh
# leaves here: counted, console
cd "\$(dirname "\$0")" && exec @words
END
    chmod oct 755, "$folder/boot.sh";
    return $boot;
}

sub with_line {
    my ($boot, %more) = @_;
    $boot = { %{$boot}, %more };
    my ($qemu, $kernel) = ($boot->{qemu}, $boot->{side}{kernel});
    my $fixed =
          '-smp 1 -accel tcg,thread=single -icount shift=3,sleep=off -nodefaults -no-reboot '
        . '-display none -rtc base=2026-01-01T00:00:00,clock=vm -serial file:console -kernel image '
        . '-initrd initramfs';
    my $list = $boot->{list} ? ",list=$boot->{list}" : q{};
    my @line = (
        @{ $qemu->{command} }, split(q{ }, $fixed),
        -m      => $kernel->{memory},
        -seed   => $boot->{seed},
        -plugin => "./count.so,out=counted,skip=$boot->{skip}$list",
        -append => $kernel->{parameters},
    );
    my $key = sha256_hex("$boot->{content} $qemu->{version} @line");
    return { %{$boot}, line => \@line, key => $key };
}

# An archive of cpio, format newc
sub initramfs {
    my ($files) = @_;
    my $number = 0;
    my $entry = sub {
        my ($name, $mode, $bytes, @device) = (@_, 0, 0);
        my $head = sprintf '070701' . '%08x' x 13 . "%s\0", ++$number, $mode, 0, 0, 1, 0,
            length $bytes, 0, 0, @device[ 0, 1 ], 1 + length $name, 0, $name;
        return pack 'a* x!4 a* x!4', $head, $bytes;
    };
    my $archive = join q{}, map({ $entry->($_, oct 40_755, q{}) } qw(dev groups proc s sys tmp)),
        $entry->('dev/console', oct 20_600, q{}, 5, 1), $entry->('dev/null', oct 20_666, q{}, 1, 3),
        map({ $entry->($_, oct 100_755, $files->{$_}) } sort keys %{$files}),
        $entry->('TRAILER!!!', 0, q{});
    return $archive . "\0" x max(0, LEAST - length $archive);
}

# ---- booting ----

sub boot_all {
    my ($boots, $at_once, $limit, $done) = @_;
    my @waiting = @{$boots};
    my %running;
    while (@waiting || %running) {
        while (@waiting && keys %running < $at_once) {
            my $boot = shift @waiting;
            $running{ started($boot, $limit) } = $boot;
        }
        sleep LOOK;
        for my $pid (keys %running) {
            next if waitpid($pid, POSIX::WNOHANG()) != $pid;
            my ($boot, $status) = (delete $running{$pid}, $?);
            SpawnMeter::Util::Cleanup::ungroup($pid);
            @{$boot}{qw(text console errors)} =
                map { read_bytes("$boot->{folder}/$_") // q{} } qw(counted console errors);
            failed($boot, $status, $limit)
                if $boot->{text} !~ /^end\n\z/m || $boot->{text} =~ /^failed$/m;
            $done->($boot);
        }
    }
    return;
}

# Its CPU time is limited, since this machine may be busy
sub started {
    my ($boot, $limit) = @_;
    my $folder = $boot->{folder};
    unlink map { "$folder/$_" } qw(counted console);
    open my $err, '>', "$folder/errors" or die "$folder: $!\n";
    my @limited =
        ('sh', '-c', 'ulimit -c 0; ulimit -S -t "$0"; exec env "$@"', POSIX::ceil($limit));
    my %command = (line => [ @limited, @{ $boot->{line} } ], marked => 1, folder => $folder);
    return SpawnMeter::Util::Process::child(\%command, $err, $err);
}

# What a console says, and what it means
my @MEANING = (
    [ qr{^spawnmeter: /s/}m                     => 'a test failed' ],
    [ qr/unable to mount root|no working init/i => 'no initramfs: set CONFIG_BLK_DEV_INITRD' ],
    [ qr/out of memory|memory exhausted|write error/i => 'out of memory: give more by --memory' ],
    [ qr/Kernel panic/                                => 'the kernel panicked' ],
);

sub failed {
    my ($boot, $status, $limit) = @_;
    my $errors = $boot->{errors} =~ s/^.*: TCG doesn't support requested feature.*\n//gmr;
    die "$boot->{what}: $errors" if $errors =~ /spawnmeter: cannot write/;
    my ($meaning) = map { $_->[1] } grep { $boot->{console} =~ $_->[0] } @MEANING;
    $meaning //=
          ($status & 127) == XCPU ? "no end within $limit s of CPU time (--limit)"
        : length $errors          ? 'QEMU failed'
        :   "ended before the tests did (status $status); more --memory or newer programs may help";
    my @lines = grep { /\S/ } split /[\r\n]+/, $boot->{console} . $errors;
    splice @lines, 0, -LINES() if @lines > LINES;
    my @last = map { plain($_) } @lines ? @lines : '(none)';
    return unusable(join "\n  ", "$boot->{what}: $meaning; its last lines:", @last);
}

# ---- functions ----

# By the symbols of the same build, or those that the kernel printed
sub functions {
    my ($boot) = @_;
    my $map = read_bytes($boot->{image}{symbols} // q{}) // q{};
    my $of = by_symbols($boot->{text}, $map);
    return %{$of} ? $of : by_symbols($boot->{text}, $boot->{console});
}

# The check of symbols is that functions begin where a block does
sub by_symbols {
    my ($text, $symbols) = @_;
    my @symbols = sort $symbols =~ /^([\da-f]{16} [tTwW] \S+)/mg;
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
