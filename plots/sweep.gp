# SPDX-License-Identifier: GPL-2.0-or-later
# A sweep as a picture.  SpawnMeter::Command::Output::Series has the arguments.
# gnuplot -c sweep.gp CSV OUT TITLE UNDER X Y SERIES FORM
#   CSV: the table of the sweep; UNDER: the line under the title; X, Y: words of the axes
#   SERIES: their number; FORM: names or numbers, which the values are
n = ARG7 + 0
names = ARG8 eq 'names'
set datafile separator ','
cairo = strstrt(GPVAL_TERMINALS, ' pngcairo ') > 0
if (cairo) set terminal pngcairo size 1000,620 font 'sans,11'
if (!cairo) set terminal png size 1000,620
# Labels are text, in which nothing has a meaning
set termoption noenhanced
set colorsequence podo
set output ARG2
set title ARG3 . "\n" . ARG4 noenhanced
set key above noenhanced
set xlabel ARG5 noenhanced
set ylabel ARG6 noenhanced
set xtics rotate by -35 nomirror () noenhanced
set ytics nomirror
set format y '%.0s%cs'
set grid y
# An axis is logarithmic where the values differ much; 0 then stands at its low end
low = 1e99; high = 0
do for [i = 0:n - 1] {
    stats ARG1 using (column(3 * i + 3) * 1e-6) skip 1 nooutput
    if (STATS_records > 0 && STATS_min < low) { low = STATS_min }
    if (STATS_records > 0 && STATS_max > high) { high = STATS_max }
}
if (high > 4 * low) { set logscale y } else { set yrange [0:*] }
least = 0
if (!names) { stats ARG1 using ($2 > 0 ? $2 : NaN) skip 1 nooutput }
if (!names && STATS_max >= 20 * STATS_min) { least = STATS_min / 4; set logscale x }
x(value, row) = names ? row + 1 : value > 0 ? value : least
set autoscale xfix
set offsets graph 0.03, graph 0.03
if (names) { set style data yerrorbars } else { set style data yerrorlines }
plot for [i = 0:n - 1] ARG1 using (x($2, $0)):(column(3 * i + 3) * 1e-6): \
    (column(3 * i + 4) * 1e-6):(column(3 * i + 5) * 1e-6):xtic(1) \
    linetype i + 1 pointtype i % 6 * 2 + 5 pointsize 0.8 title columnheader(3 * i + 3)
