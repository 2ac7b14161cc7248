#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures process creation on a machine without perl and without a compiler.  The program
# summary measures each pass; this script notes the facts of the machine, runs one pass after the
# other, and prints medians.  It needs a POSIX shell and no other tool; as /init of a kernel,
# mount, sync and poweroff, too.
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

It prints medians; ./Run show FILE prints the rest on another machine.  The number of passes is
fixed: a run takes about ROUNDS x (SECONDS + 0.1) seconds for each test and number of copies.
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
file='' rounds=20 seconds=0.25 copies='' seed=1 out='' print='' list='' lost='' warmup=0.025
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
numbers=0
for n in $copies; do
	[ "$n" = cpus ] || whole_number -c "$n"
	numbers=$((numbers + 1))
done
[ "$numbers" -le 64 ] || stop '-c: ./Run show reads at most 64 numbers of copies' 2
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

newline='
'
tab='	'
head=''
add() { head="$head$1$newline"; }
fact() { [ -z "$2" ] || add "FACT|$1|$2"; }

# Sets value to the first line of a file; empty where there is none
line_of() {
	value=''
	[ ! -r "$1" ] || IFS= read -r value <"$1"
}

# Sets value to that of the first line "NAME : value" or NAME=value of a file
value_of() {
	if [ -r "$1" ]; then
		while IFS=":=$tab" read -r key value; do
			[ "${key%%  *}" != "$2" ] || {
				value=${value#"${value%%[! ]*}"}
				return
			}
		done <"$1"
	fi
	value=''
}

# With the names and the words of SpawnMeter::Machine::Facts
processor() {
	for field in 'model name' 'Model Name' 'cpu model' cpu uarch machine isa Processor 'CPU part'; do
		value_of /proc/cpuinfo "$field"
		[ -z "$value" ] || break
	done
	model=$value
	fact cpu_model "$model"
	value_of /proc/cpuinfo microcode
	fact microcode "$value"
	line_of /sys/class/dmi/id/sys_vendor
	vendor=$value
	line_of /sys/class/dmi/id/product_name
	vendor="${vendor:+ ($vendor $value)}"
	value_of /proc/cpuinfo flags
	case " $value " in
	*' hypervisor '*) fact hypervisor "yes$vendor" ;;
	*[a-z]*) fact hypervisor none ;;
	esac
	line_of /sys/devices/system/cpu/online
	online=0
	while [ -n "$value" ]; do
		range=${value%%,*}
		online=$((online + ${range#*-} - ${range%-*} + 1))
		value=${value#"$range"}
		value=${value#,}
	done
	[ "$online" -gt 0 ] || online=$cpus
	fact cpus_online "$online"
	fact cpus_usable "$cpus"
	line_of /sys/devices/system/cpu/smt/active
	fact smt "$value"
	line_of /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor
	fact governor "$value"
	found=''
	for path in /sys/devices/system/cpu/vulnerabilities/*; do
		line_of "$path"
		[ -z "$value" ] || found="$found${found:+; }${path##*/}: $value"
	done
	fact vulnerabilities "$found"
}

kernel() {
	line_of /sys/kernel/mm/transparent_hugepage/enabled
	value=${value#*\[}
	fact hugepages "${value%%\]*}"
	line_of /sys/devices/system/clocksource/clocksource0/current_clocksource
	fact clock_source "$value"
	line_of /proc/sys/kernel/randomize_va_space
	fact aslr "$value"
	line_of /proc/sys/vm/overcommit_memory
	fact overcommit "$value"
	line_of /sys/kernel/security/lsm
	fact security_modules "$value"
	value_of /etc/os-release PRETTY_NAME
	value=${value#\"}
	fact distribution "${value%\"*}"
	value_of /proc/meminfo MemTotal
	[ -z "$value" ] || fact memory_total $((${value%% *} / 1024))
	value_of /proc/self/status Seccomp
	fact seccomp "$value"
	line_of /proc/uptime
	fact uptime "${value%%.*}"
}

# The categories, and the tests that are measured
tests() {
	while IFS= read -r line; do
		name=${line#*"|"}
		case "$line $names " in
		CATEGORY\|* | TEST\|*" ${name%%"|"*} "*) add "$line" ;;
		esac
	done <"$here/tests"
}

no_programs='this machine cannot run the programs of the bundle'
cpus=$("$here/summary" --cpus) || stop "$no_programs" 1
if [ -z "$copies" ]; then
	copies=1
	[ "$cpus" -eq 1 ] || copies="1 cpus"
fi
machine=$("$here/summary" --machine) || stop "$no_programs" 1
build=$("$here/fork" --version) || stop "$no_programs" 1
set -f
IFS=$newline
for line in ${machine#*"$newline"}; do
	case $line in
	HOST\|*) host=${line#*"|"} ;;
	STARTED\|*) began=${line##*"|"} ;;
	FACT\|kernel_release\|*) release=${line##*"|"} ;;
	esac
	add "$line"
done
for line in ${build#*"$newline"}; do add "BUILD|$line"; done
unset IFS
set +f
add "COMMAND|${command%%"$newline"*}"
add "ROUNDS|$rounds"
add "SECONDS|$seconds"
add "WARMUP|$warmup"
add "SEED|$seed"
processor
kernel
tests

name=${machine%%"$newline"*}
case $name in
*/*) name=samples ;;
esac
folder=.
[ -w . ] || folder=${TMPDIR:-/tmp}
number=1
while [ -z "$out" ]; do
	[ "$number" -gt 9 ] || number=0$number
	[ -e "$folder/$name-$number.samples" ] || out=$folder/$name-$number.samples
	number=$((${number#0} + 1))
done
(set -C && echo "${head%"$newline"}" >"$out") || stop "cannot create $out" 1
file=$out

trap 'stop "stopped by signal HUP" 129' HUP
trap 'stop "stopped by signal INT" 130' INT
trap 'stop "stopped by signal TERM" 143' TERM

# Sets order to the names in another order.  The numbers follow from the seed: a congruential
# generator whose products fit into 32 bits
shuffle() {
	order=''
	while [ $# -gt 0 ]; do
		random=$(((random * 75 + 74) % 65537))
		steps=$((random % $#))
		while [ "$steps" -gt 0 ]; do
			first=$1
			shift
			set -- "$@" "$first"
			steps=$((steps - 1))
		done
		order="$order $1"
		shift
	done
}

# Adds a rate, with one decimal, to those of a test, which are sorted
note_rate() {
	rate=$2 sorted=''
	eval "rates=\$rates_$1"
	for other in $rates; do
		if [ -n "$rate" ] && [ "${rate%.*}${rate#*.}" -lt "${other%.*}${other#*.}" ]; then
			sorted="$sorted $rate" rate=''
		fi
		sorted="$sorted $other"
	done
	eval "rates_$1=\"$sorted \$rate\""
}

# Sets median to that of the arguments, which are sorted: of an even number the lower one
median_of() {
	median=''
	[ $# -eq 0 ] || {
		shift $((($# - 1) / 2))
		median=$1
	}
}

# The medians of the tests that were measured with so many copies
medians() {
	echo "Copies at once: $1"
	while IFS='|' read -r kind name title _; do
		[ "$kind" = TEST ] || continue
		eval "rates=\${rates_$name-}"
		# shellcheck disable=SC2086 # a list of numbers
		median_of $rates
		[ -n "$median" ] || continue
		while [ ${#title} -lt 40 ]; do title="$title "; done
		echo "$title $median lps"
	done <"$here/tests"
	echo
}

measured='' results=''
for n in $copies; do
	[ "$n" != cpus ] || n=$cpus
	case " $measured " in
	*" $n "*) continue ;;
	esac
	measured="$measured $n"
	# bad: tests that cannot be measured with so many copies.  The digit before a seed like 010
	# keeps it decimal
	round=0 bad='' random=$((1$seed % 65536))
	for name; do eval "rates_$name=''"; done
	echo "$n at once: $# tests, $rounds passes of $seconds s each" >&2
	while [ "$round" -lt "$rounds" ]; do
		round=$((round + 1))
		shuffle "$@"
		for name in $order; do
			case " $bad " in
			*" $name "*) continue ;;
			esac
			rate=$("$here/summary" --pass "$file" "$began" "$name" "$n" "$round" \
				"$seconds" "$warmup" "$here/$name")
			case $? in
			0) note_rate "$name" "$rate" ;;
			3) bad="$bad $name" lost=1 ;;
			*) stop "the pass of $name could not be stored" 1 ;;
			esac
		done
	done
	results="$results$(medians "$n")$newline$newline"
done
echo 'END|complete' >>"$file"
trap - HUP INT TERM

echo "$host, Linux $release, $online CPUs${model:+: $model}"
echo "$rounds passes of $seconds s of each test, shuffled; statically linked programs"
echo
echo "$results""Median of the passes of each test"
echo "Samples: $file"
echo "Intervals, latencies and disturbances: ./Run show $file"
if [ -n "$print" ]; then
	while IFS= read -r line; do printf '%s\n' "$line"; done <"$file"
fi
[ -z "$lost" ] || finish 1
finish 0
