# SPDX-License-Identifier: GPL-2.0-or-later
# Measures process creation
class Spawnmeter < Formula
  desc "Measures how fast a machine creates processes"
  homepage "https://example.org/spawnmeter"
  url "https://example.org/spawnmeter/spawnmeter-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "GPL-2.0-or-later"

  uses_from_macos "perl"

  def install
    system "make", "install", "PREFIX=#{prefix}",
           "BASHDIR=#{bash_completion}", "ZSHDIR=#{zsh_completion}"
  end

  test do
    assert_match "SpawnMeter #{version}", shell_output("#{bin}/spawnmeter --version")
    system bin/"spawnmeter", "-q", "-c", "1", "--max-time", "0.5", "fork"
  end
end
