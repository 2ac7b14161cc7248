#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One measurement on a host, by the playbook of fleet/ and by tools/remote.
#
# usage: measure.sh ACTION RUN [OPTION...]      RUN: the folder of this measurement
#   lacks    prints what ./Run needs and the host does not have, a line each
#   build    unpacks RUN/release.tar.gz and makes the programs; or unpacks RUN/bundle.tar
#   doctor   prints the warnings of ./Run doctor, a line each
#   start    measures: ./Run OPTION..., or ./run.sh OPTION... of the bundle; RUN/status gets
#            its exit status.  The caller puts it into the background
#   state    prints running, done, died or none
#   load     prints the load of the last minute
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

# The folder of the release or of the bundle
tree()
{
	for main in "$run"/tree/*/Run "$run"/tree/*/run.sh; do
		if [ -e "$main" ]; then
			dirname "$main"
			return
		fi
	done
	fail "the release is not built"
}

alive()
{
	[ -s "$run/pid" ] || return
	process=$(cat "$run/pid")
	if [ -e /proc/self/cmdline ]; then tr '\0' ' ' <"/proc/$process/cmdline"
	else ps -p "$process" -o args=
	fi 2>/dev/null | grep -q 'measure[.]sh start'
}

# Some systems have a perl without its modules
lacks()
{
	found=
	for compiler in cc gcc; do
		command -v $compiler >/dev/null && echo '#include <stdio.h>' |
			$compiler -x c -fsyntax-only - 2>/dev/null && found=1
	done
	[ -n "$found" ] || echo 'a compiler'
	command -v make >/dev/null || command -v gmake >/dev/null || echo make
	# shellcheck disable=SC2016 # $] is perl's
	if ! command -v perl >/dev/null; then echo perl
	elif ! perl -e 'exit($] < 5.014)'; then echo "perl 5.14 (it has $(perl -e 'print $]'))"
	elif ! perl -MTime::HiRes -MDigest::SHA -MStorable -MPod::Text -e 1 2>/dev/null; then
		echo 'the modules of perl'
	fi
}

build()
{
	archive=$run/release.tar.gz
	unpack=xzf
	if [ -e "$run/bundle.tar" ]; then
		archive=$run/bundle.tar
		unpack=xf
	fi
	rm -rf "$run/tree"
	for built in "$run"/../*/built; do
		if [ -e "$built" ] && cmp -s "$archive" "${built%/*}/${archive##*/}"; then
			ln -s "${built%/*}/tree" "$run/tree" && : >"$run/built"
			return
		fi
	done
	if ! mkdir -p "$run/tree" || ! tar $unpack "$archive" -C "$run/tree"; then
		fail "the release cannot be unpacked; is there room?"
	fi
	if [ "$unpack" = xzf ]; then make_release
	else run_bundle
	fi
	: >"$run/built"
}

make_release()
{
	gnu_make='make'
	command -v gmake >/dev/null && gnu_make=gmake
	cd "$(tree)" || exit
	$gnu_make -s >"$run/build.log" 2>&1 || fail "make failed: $(tail -n 3 "$run/build.log")"
	./Run --version >/dev/null 2>"$run/build.log" || fail "$(tail -n 3 "$run/build.log")"
}

run_bundle()
{
	"$(tree)/summary" --cpus >/dev/null 2>"$run/build.log" ||
		fail "it cannot run the bundle: $(tail -n 3 "$run/build.log")"
}

# Each "  - " begins a warning; its further lines have four blanks
warnings()
{
	cd "$(tree)" || exit
	[ -e Run ] || return 0
	./Run doctor | awk '
		/^  - / { if (text != "") print text; text = substr($0, 5) }
		/^    / { text = text " " substr($0, 5) }
		END { if (text != "") print text }'
}

measure()
{
	mkdir -p "$run/results" || fail "$run cannot be written"
	echo $$ >"$run/pid" || fail "$run cannot be written"
	rm -f "$run/status"
	folder=$(tree) || exit
	if [ -e "$folder/Run" ]; then
		cd "$folder" || exit
		./Run --output "$run/results" "$@"
	else
		cd "$run/results" || exit
		sh "$folder/run.sh" "$@"
	fi >"$run/log" 2>&1 </dev/null
	status=$?
	echo $status >"$run/status.new" && mv "$run/status.new" "$run/status"
}

state()
{
	if alive; then echo running
	elif [ -s "$run/status" ]; then echo 'done'
	elif [ -s "$run/pid" ]; then echo died
	else echo none
	fi
}

load()
{
	if [ -r /proc/loadavg ]; then cut -d ' ' -f 1 /proc/loadavg
	else LC_ALL=C uptime | sed 's/.*averages*: *//; s/[ ,].*//'
	fi
}

# A tar without compression is the same with every tar and needs no gzip
pack()
{
	[ -d "$run/results" ] || fail "there are no results"
	rm -rf "$run/pack"
	mkdir "$run/pack" && cp "$run"/results/* "$run/pack/" 2>/dev/null
	for samples in "$run"/pack/*.samples; do
		[ -e "$samples" ] && ! grep -q '^END|complete$' "$samples" && mv "$samples" "$samples.part"
	done
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
lacks) lacks ;;
build) build ;;
doctor) warnings ;;
start) measure "$@" ;;
state) state ;;
load) load ;;
pack) pack ;;
*) fail "measure.sh: unknown action '$action'" ;;
esac
