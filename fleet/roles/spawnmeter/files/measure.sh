#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One measurement on a host, by the playbook of fleet/ and by tools/remote.
#
# usage: measure.sh ACTION RUN [OPTION...]      RUN: the folder of this measurement
#   build    unpacks RUN/release.tar.gz and makes the programs
#   doctor   prints the warnings of ./Run doctor, a line each
#   start    measures: ./Run OPTION...; RUN/status gets its exit status.  The caller puts
#            it into the background
#   state    prints running, done, died or none
#   pack     makes RUN/archive.tar of log, status and results, and prints its SHA-256
set -u
action=$1
run=$2
shift 2
case $run in
/*) ;;
*) run=$PWD/$run ;;
esac

fail()
{
	echo "$*" >&2
	exit 1
}

tree()
{
	set -- "$run"/tree/*/Run
	[ -e "$1" ] || fail "the release is not built"
	dirname "$1"
}

alive()
{
	[ -s "$run/pid" ] || return
	ps -p "$(cat "$run/pid")" -o args= 2>/dev/null | grep -q 'measure[.]sh start'
}

build()
{
	if ! mkdir -p "$run/tree" || ! tar xzf "$run/release.tar.gz" -C "$run/tree"; then
		fail "the release cannot be unpacked; is there room?"
	fi
	gnu_make='make'
	command -v gmake >/dev/null && gnu_make=gmake
	cd "$(tree)" || exit
	$gnu_make -s >"$run/build.log" 2>&1 || fail "make failed: $(tail -n 3 "$run/build.log")"
	./Run --version >/dev/null 2>"$run/build.log" || fail "$(tail -n 3 "$run/build.log")"
	: >"$run/built"
}

# Each "  - " begins a warning; its further lines have four blanks
warnings()
{
	cd "$(tree)" && ./Run doctor | awk '
		/^Possible/ { found = 1 }
		found && /^  - / { if (text != "") print text; text = substr($0, 5) }
		found && /^    / { text = text " " substr($0, 5) }
		END { if (text != "") print text }'
}

measure()
{
	mkdir -p "$run/results" || fail "$run cannot be written"
	echo $$ >"$run/pid" || fail "$run cannot be written"
	rm -f "$run/status"
	cd "$(tree)" || exit
	./Run --output "$run/results" "$@" >"$run/log" 2>&1 </dev/null
	status=$?
	echo $status >"$run/status.new" && mv "$run/status.new" "$run/status"
}

state()
{
	if [ -s "$run/status" ]; then echo 'done'
	elif alive; then echo running
	elif [ -s "$run/pid" ]; then echo died
	else echo none
	fi
}

# A tar without compression is the same with every tar and needs no gzip
pack()
{
	[ -d "$run/results" ] || fail "there are no results"
	rm -rf "$run/pack"
	mkdir "$run/pack" && cp "$run"/results/* "$run/pack/" 2>/dev/null
	[ -e "$run/log" ] && cp "$run/log" "$run/pack/log"
	if [ -s "$run/status" ]; then cp "$run/status" "$run/pack/status"
	else echo killed >"$run/pack/status"
	fi
	cd "$run/pack" || exit
	tar cf "$run/archive.tar" -- * || fail "the archive cannot be written"
	if command -v sha256sum >/dev/null; then sha256sum "$run/archive.tar"
	elif command -v sha256 >/dev/null; then sha256 -q "$run/archive.tar"
	else shasum -a 256 "$run/archive.tar"
	fi | cut -d ' ' -f 1
}

case $action in
build) build ;;
doctor) warnings ;;
start) measure "$@" ;;
state) state ;;
pack) pack ;;
*) fail "measure.sh: unknown action '$action'" ;;
esac
