#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures process creation on a machine without perl and without a compiler.  All numbers
# are computed by the program summary; this script only runs one pass after the other.  It
# needs a POSIX shell and no other tool; as /init of a kernel, mount, sync and poweroff, too.
set -u

usage() {
	cat <<'END'
usage: ./run.sh [-r ROUNDS] [-s SECONDS] [-c COPIES]... [-S SEED] [-o FILE] [-p] [test ...]

  -r ROUNDS   passes of each test (default 20)
  -s SECONDS  length of a pass (default 0.25)
  -c COPIES   run so many copies at once, or cpus: one for each CPU (default: 1, then cpus)
  -S SEED     of the order (default 1)
  -o FILE     for the samples (default: HOST-DATE-NN.samples in the current folder)
  -p          print that file at the end, for a machine whose disk is lost
  -l          list the tests

./Run show FILE prints the full statistics on another machine.
END
}

stop() {
	echo "run.sh: $1" >&2
	[ -z "$file" ] || echo "END|$1" >>"$file"
	finish "$2"
}

# Process 1 must not end
finish() {
	if [ $$ -eq 1 ]; then
		sync
		poweroff -f
		while :; do sleep 1000; done
	fi
	exit "$1"
}

case $0 in
*/*) here=${0%/*} ;;
*) here=. ;;
esac
file='' rounds=20 seconds=0.25 copies='' seed=1 out='' print='' list='' lost=''
command="./run.sh $*"

# As /init there is nothing yet, and what is not printed is lost
if [ $$ -eq 1 ]; then
	PATH=${PATH:-/bin:/sbin:/usr/bin:/usr/sbin} print=1
	[ -r /proc/stat ] || mount -t proc proc /proc
	[ -d /sys/devices ] || mount -t sysfs sysfs /sys
	[ -c /dev/null ] || mount -t devtmpfs dev /dev
fi

while getopts r:s:c:S:o:plh option; do
	case $option in
	r) rounds=$OPTARG ;;
	s) seconds=$OPTARG ;;
	c) copies="$copies $OPTARG" ;;
	S) seed=$OPTARG ;;
	o) out=$OPTARG ;;
	p) print=1 ;;
	l) list=1 ;;
	h) usage; finish 0 ;;
	*) usage >&2; finish 2 ;;
	esac
done
shift $((OPTIND - 1))

whole_number() {
	case $2 in
	'' | *[!0-9]* | ????????*) stop "$1 $2: not a whole number" 2 ;;
	esac
	case $2 in
	*[1-9]*) ;;
	*) stop "$1 $2: must be above 0" 2 ;;
	esac
}
whole_number -r "$rounds"
whole_number -S "$seed"
for n in $copies; do [ "$n" = cpus ] || whole_number -c "$n"; done
case $seconds in
*[1-9]*) ;;
*) stop "-s $seconds: must be above 0" 2 ;;
esac
case $seconds in
*[!0-9.]* | *.*.*) stop "-s $seconds: not a number of seconds" 2 ;;
esac

# The tests of this bundle: lines TEST|name|..., and DEFAULT|names
known='' names=''
[ -r "$here/tests" ] || stop "$here/tests is missing: unpack the whole bundle" 2
while IFS='|' read -r kind name _; do
	case $kind in
	TEST) known="$known $name" ;;
	DEFAULT) default=$name ;;
	esac
done <"$here/tests"
if [ -n "$list" ]; then
	for name in $known; do echo "$name"; done
	finish 0
fi
[ $# -gt 0 ] || {
	# shellcheck disable=SC2086 # a list of names
	set -- $default
}
for name; do
	case " $known " in
	*" $name "*) ;;
	*) stop "unknown test '$name' (there are:$known)" 2 ;;
	esac
	names="$names $name"
done
for name in summary true-static "$@"; do
	[ -f "$here/$name" ] || stop "$here/$name is missing: unpack the whole bundle" 2
	[ -x "$here/$name" ] || stop "$here/$name cannot be executed (is it on a noexec mount?)" 2
done

cpus=$("$here/summary" --cpus) || stop 'this machine cannot run the programs of the bundle' 1
if [ -z "$copies" ]; then
	copies=1
	[ "$cpus" -eq 1 ] || copies="1 cpus"
fi
folder=.
[ -w . ] || folder=${TMPDIR:-/tmp}
build=$("$here/fork" --version) || stop 'this machine cannot run the programs of the bundle' 1
file=$("$here/summary" --begin tests="$here/tests" names="$names" COMMAND="$command" \
	ROUNDS="$rounds" SECONDS="$seconds" WARMUP=0.025 SEED="$seed" build="$build" \
	folder="$folder" out="$out") || { file=''; stop 'no file for the samples' 1; }

trap 'stop "stopped by signal HUP" 129' HUP
trap 'stop "stopped by signal INT" 130' INT
trap 'stop "stopped by signal TERM" 143' TERM

order=$("$here/summary" --shuffle "$seed" "$rounds" "$@") || stop 'no order of the passes' 1
measured=
for n in $copies; do
	[ "$n" != cpus ] || n=$cpus
	case " $measured " in
	*" $n "*) continue ;;
	esac
	measured="$measured $n"
	# bad: tests that cannot be measured with so many copies
	seen='' round=0 bad=''
	echo "$n at once: $# tests, $rounds passes of $seconds s each" >&2
	for name in $order; do
		case " $seen " in
		*" $name "*) seen='' ;;
		esac
		[ -n "$seen" ] || round=$((round + 1))
		seen="$seen $name"
		case " $bad " in
		*" $name "*) continue ;;
		esac
		"$here/summary" --pass file="$file" test="$name" copies="$n" round="$round" \
			seconds="$seconds" program="$here/$name"
		case $? in
		0) ;;
		3) bad="$bad $name" lost=1 ;;
		*) stop "the pass of $name could not be stored" 1 ;;
		esac
	done
done
echo 'END|complete' >>"$file"
trap - HUP INT TERM

"$here/summary" "$file" || stop "the tables of $file could not be printed" 1
echo "Samples: $file; with intervals: ./Run show $file"
if [ -n "$print" ]; then
	while IFS= read -r line; do printf '%s\n' "$line"; done <"$file"
fi
[ -z "$lost" ] || finish 1
finish 0
