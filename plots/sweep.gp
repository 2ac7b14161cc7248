# SPDX-License-Identifier: GPL-2.0-or-later
# A sweep's CSV as a picture: value, x, then median, low and high of each series.
# gnuplot -c sweep.gp CSV OUT TERMINAL TITLE AXIS SERIES SCALE ZERO
#   SCALE: names (values side by side), log or linear;  ZERO: the place of 0 on a log axis
csv = ARG1; scale = ARG7; series = ARG6 + 0; zero = ARG8 + 0
set datafile separator ','
set datafile missing ''
if (ARG3 eq 'svg')  set terminal svg size 800,520 dynamic background rgb 'white' font 'sans,14'
cairo = strstrt(GPVAL_TERMINALS, ' pngcairo ') > 0
if (ARG3 eq 'png' && cairo) set terminal pngcairo size 800,520 font 'sans,12'
if (ARG3 eq 'png' && !cairo) set terminal png size 800,520
if (ARG3 eq 'dumb') set terminal dumb 79 26
# Labels are text: in enhanced text, a font name is written into the SVG as it is
set termoption noenhanced
set output ARG2
set title ARG4 noenhanced
set xlabel ARG5 noenhanced
set ylabel 'microseconds per creation'
set key above noenhanced
set grid ytics
set logscale y
set offsets graph 0.03, graph 0.03, graph 0.06, graph 0.06
if (scale eq 'log') set logscale x
# Marks and dashes differ too, for grey prints
array ink[6] = ['#000000', '#b8432f', '#1f5fa8', '#6b8e23', '#8a4fa3', '#7a7a7a']
x(value) = value > 0 ? value : zero
if (scale eq 'names') set xtics rotate by -30
if (scale eq 'names') plot for [i = 0:series - 1] csv \
    using 0:(column(3 + 3 * i)):(column(4 + 3 * i)):(column(5 + 3 * i)):xtic(1) \
    with yerrorlines linewidth 1.5 dashtype i + 1 pointtype (i % 6) * 2 + 5 pointsize 0.8 \
    linecolor rgb ink[i % 6 + 1] title columnheader(3 + 3 * i)
if (scale ne 'names') plot for [i = 0:series - 1] csv \
    using (x($2)):(column(3 + 3 * i)):(column(4 + 3 * i)):(column(5 + 3 * i)):xtic(1) \
    with yerrorlines linewidth 1.5 dashtype i + 1 pointtype (i % 6) * 2 + 5 pointsize 0.8 \
    linecolor rgb ink[i % 6 + 1] title columnheader(3 + 3 * i)
