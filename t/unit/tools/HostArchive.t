# SPDX-License-Identifier: GPL-2.0-or-later
# The archive of a host of a fleet: what is unpacked, and what is refused before anything is
# written.
use lib qw(t/lib tools);
use TestHelp;
use Archive::Tar           ();
use Archive::Tar::Constant qw(COMPRESS_GZIP SYMLINK);
use Digest::SHA            ();

our $late = 0;

BEGIN {
    *CORE::GLOBAL::waitpid = sub { CORE::waitpid($_[0], $late ? 0 : $_[1]) }
}
use HostArchive qw(guarded shown);

my $folder = scratch();
my $archive = "$folder/archive.tar";
mkdir "$folder/out" or die;

# name => content, or a reference to the target of a link -> SHA-256 of the archive
sub archive {
    my (%content) = @_;
    my $tar = Archive::Tar->new;
    for my $name (sort keys %content) {
        my $link = ref $content{$name} ? ${ $content{$name} } : undef;
        $tar->add_data(
            $name,
            defined $link ? q{}                                    : $content{$name},
            defined $link ? { type => SYMLINK, linkname => $link } : {}
        );
    }
    $tar->write($archive);
    return Digest::SHA->new(256)->addfile($archive)->hexdigest;
}

sub unpacked {
    my ($sha256) = @_;
    my $got = eval { HostArchive::unpack($archive, $sha256, "$folder/out") };
    return $got || $@;
}

sub written {
    return join q{ }, map { s{.*/}{}r } glob "\Q$folder\E/out/*";
}

subtest 'an archive that is whole' => sub {
    my $got = unpacked(archive(status => "0\n", log => "text\n", 'web-2026-11-22-01.json' => '{}'));
    is($got->{status}, 0, 'the exit status of ./Run');
    is(written(), 'log web-2026-11-22-01.json', 'the other files are written');
    is(slurp_file("$folder/out/log"), "text\n", 'with their content');
    is(unpacked(archive(status => "killed\n"))->{status}, 'killed', 'a run that was killed');
};
unlink glob "\Q$folder\E/out/*";

subtest 'texts of a stranger' => sub {
    my $text = 'x' x 70_000 . "\e[2J\n";    # more than is read at once
    unpacked(archive(status => "0\n", log => $text, 'web.html' => '<script>', 'empty' => q{}));
    is(written(), 'empty log', 'a page is not unpacked');
    ok(slurp_file("$folder/out/log") eq 'x' x 70_000 . "\\x1b[2J\n", 'controls are visible');
};
unlink glob "\Q$folder\E/out/*";

my %good = (status => "0\n", log => q{});
my @refused = (
    [ 'a path that leads out'         => { '../escape' => q{} }, qr/not the name of a result/ ],
    [ 'a name that begins with a dot' => { '.bashrc'   => q{} }, qr/not the name of a result/ ],
    [ 'a link'                        => { link        => \'/etc/passwd' }, qr/not a plain file/ ],
    [ 'a status that is none'         => { status      => 'rm -rf' }, qr/its status is not one/ ],
);
for my $case (@refused) {
    my ($what, $content, $message) = @{$case};
    like(unpacked(archive(%good, %{$content})), $message, "$what is refused");
    is(written(), q{}, 'nothing is written');
}

subtest 'an archive that was changed on its way' => sub {
    my $sha256 = archive(%good);
    my $bytes = slurp_file($archive);
    spew($archive, substr $bytes, 0, length($bytes) - 512);
    like(unpacked($sha256), qr/its SHA-256 is not that of the host's archive; fetch it/, 'cut');
    spew($archive, 'text' x 1000);
    my $own = Digest::SHA->new(256)->addfile($archive)->hexdigest;
    like(unpacked($own), qr/not a tar archive/, 'no tar archive');
    like(unpacked(archive(log => q{})), qr/it has no status of ..Run/, 'without status');
    unlink $archive;
    like(unpacked($sha256), qr/cannot be read/, 'it is missing');
    is(written(), q{}, 'nothing is written');
};

sub sum_of { return Digest::SHA->new(256)->addfile($archive)->hexdigest }

subtest 'an archive that a host prepared' => sub {
    my $tar = Archive::Tar->new;
    $tar->add_data(status => "0\n");
    $tar->add_data(log    => 'x' x 5_000_000);
    $tar->write($archive, COMPRESS_GZIP);
    like(unpacked(sum_of()), qr/it is compressed, or not a tar archive/, 'is not expanded');
    $tar->write($archive);
    my $bytes = slurp_file($archive);
    spew($archive, substr $bytes, 0, 3_000_000);
    like(unpacked(sum_of()), qr/it is damaged: /, 'cut in the middle of a file');
    $tar->add_data(log => 'another');
    $tar->write($archive);
    like(unpacked(sum_of()), qr/it holds log twice/, 'a name twice');
    spew($archive, slurp_file($archive) =~ s/log\0{97}/'LOG' . "\0" x 97/er);
    like(unpacked(sum_of()), qr/it is damaged/, 'a header that was changed');
    truncate $archive, 64 * 1024**2 + 1 or die;
    like(unpacked(q{}), qr/over 64 MB/, 'one that is too large');
    my $sum = archive(%good, "\e[2J\nRun: fine" => q{});
    my $got = command({}, $^X, "$ROOT/tools/unpack", $archive, $sum, "$folder/out");
    is($got->{status}, 2, 'control characters in a name: status 2');
    is(scalar(() = $got->{err} =~ /[^ -~]/g), 1, 'its only one in the message is the line end');
    is(written(), q{}, 'nothing is written');
};

# ---- commands that speak for another machine ----

# -> (status, exceeded limit, output, errors)
sub run_shell {
    my ($script, %with) = @_;
    my %text = (out => q{}, err => q{});
    my ($status, $exceeded) = guarded({
        line    => [ '/bin/sh', '-c', $script ],
        bytes   => 1024,
        seconds => 60,
        out     => sub { $text{out} .= $_[0] },
        err     => sub { $text{err} .= $_[0] },
        %with
    });
    return ($status, $exceeded, $text{out}, $text{err});
}

subtest 'a command within its limits' => sub {
    my $file = File::Temp->new;
    spew("$file", "in\n");
    is_deeply(
        [ run_shell('cat; echo err >&2; exit 3', input => "$file") ],
        [ 3 << 8, undef, "in\n", "err\n" ],
        'its status, its outputs, its input'
    );
    my ($status) = guarded({ line => ['/none'], bytes => 1, seconds => 60 });
    is($status, 127 << 8, 'a program that does not exist');
    my ($open, undef, undef, $pid) = run_shell('sleep 60 >/dev/null & echo $! >&2; exit 4');
    kill 'KILL', $pid;
    is($open, 4 << 8, 'another process that holds standard error open is not waited for');
    local $late = 1;
    my (undef, undef, $out) = run_shell('sleep 0.3; echo late');
    is($out, "late\n", 'what it prints between a look at its output and one at its end');
};

subtest 'a command beyond its limits' => sub {
    my ($status, $exceeded, $out) = run_shell('exec yes');
    is("$status $exceeded", '9 printed over 1 kB', 'an endless output');
    cmp_ok(length $out, '<=', 1024, 'no more than the limit is passed on');
    ($status, $exceeded) = run_shell('exec yes >&2');
    is("$status $exceeded", '9 printed over 256 kB', 'endless errors');
    ($status, $exceeded) = run_shell('exec sleep 60', seconds => 0.2);
    is("$status $exceeded", '9 took over 0.2 s', 'one that does not end');
    ($status, $exceeded) = run_shell('exec >&- 2>&-; exec sleep 60', seconds => 0.2);
    is("$status $exceeded", '9 took over 0.2 s', 'or only closes its outputs');
};

my @cases = (
    [ 'plain' => "a\tb\r\nc\n", "a\tb\r\nc\n", "a\tb\r\nc\n" ],
    [ 'bytes' => "\e[2J\x07\xc2\x9b\rx", '\x1b[2J\x07\x9b\x0dx', '\x1b[2J\x07\x9b\x0dx' ],
    [ 'words' => "\xc3\xa9\xe2\x82\xac", "\xc3\xa9\xe2\x82\xac", "\xc3\xa9\xe2\x82\xac" ],
    [ 'JSON'  => '"\u001b[2J\r\u202e"', '"\u001b[2J\r\u202e"', '"\\\\x1b[2J\\\\x0d\\\\x{202e}"' ],
    [ 'other' => '"\\\\u001b \n\u00e9"', '"\\\\u001b \n\u00e9"', '"\\\\u001b \n\u00e9"' ],
);
subtest 'control characters' => sub {
    for my $case (@cases) {
        my ($what, $text, @expected) = @{$case};
        for my $is_json (0, 1) {
            for my $pieces ([$text], [ split m{}, $text ]) {
                my $shown = shown($is_json);
                is(join(q{}, map { $shown->($_) } @{$pieces}, undef),
                    $expected[$is_json], "$what, JSON: $is_json, in " . @{$pieces});
            }
        }
    }
};
done_testing;
