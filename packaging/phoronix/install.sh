#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
tar xzf spawnmeter-@VERSION@.tar.gz
cd spawnmeter-@VERSION@ || exit
make all
echo $? > ~/install-exit-status
cd ~ || exit
cat > spawnmeter <<'END'
#!/bin/sh
cd spawnmeter-@VERSION@ || exit
./Run "$@" > "$LOG_FILE" 2>&1
echo $? > ~/test-exit-status
END
chmod +x spawnmeter
