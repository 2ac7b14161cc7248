# SPDX-License-Identifier: GPL-2.0-or-later
# A sweep as a picture.  SpawnMeter::Report::Plot writes the data and the arguments.
# gnuplot -c sweep.gp DATA OUT TERMINAL TITLE UNDER X Y NUMBERS
#   DATA: blocks of lines: for each series, headed by its name, its points (x,y,ends of the
#     interval along x and along y,1 where it is disturbed); for each series its line (x,y);
#     then the ticks (position,label) of x and of y.  Axes are from 0 to 1000
#   TERMINAL: svg or png; UNDER: the line under the title; X, Y: words of the axes
#   NUMBERS: height of the picture; then for each series the number of its ink
n = words(ARG8) - 1; height = word(ARG8, 1) + 0
set datafile separator ','
if (ARG3 eq 'svg') set terminal svg size 800,height dynamic background rgb 'white' font 'sans,14'
cairo = strstrt(GPVAL_TERMINALS, ' pngcairo ') > 0
if (ARG3 eq 'png' && cairo) set terminal pngcairo size 800,height font 'sans,11'
if (ARG3 eq 'png' && !cairo) set terminal png size 800,height
# Labels are text: in enhanced text, a font name is written into the SVG as it is
set termoption noenhanced
set output ARG2
set title ARG4 . "\n" . ARG5 . '; ring: disturbed' noenhanced
set key above noenhanced
set xrange [0:1000]
set yrange [0:1000]
set xtics nomirror () noenhanced
set ytics nomirror () noenhanced
set xlabel ARG6 noenhanced
set ylabel ARG7 noenhanced
# Marks and dashes differ too, for grey prints
array ink[6] = ['#000000', '#b8432f', '#1f5fa8', '#6b8e23', '#8a4fa3', '#7a7a7a']
style(i) = int(word(ARG8, 2 + i))
colour(i) = ink[style(i) % 6 + 1]
mark(i) = (style(i) % 6) * 2 + 5
# The grid is drawn by hand, since ticks that come from the data have none
plot ARG1 index 2 * n using 1:(0):(0):(1000):xtic(2) with vectors nohead \
    linecolor rgb '#e4e7ec' notitle, \
    ARG1 index 2 * n + 1 using (0):1:(1000):(0):ytic(2) with vectors nohead \
    linecolor rgb '#e4e7ec' notitle, \
    for [i = 0:n - 1] ARG1 index n + i using 1:2 with lines linewidth 1.2 dashtype i + 1 \
    linecolor rgb colour(i) notitle, \
    for [i = 0:n - 1] ARG1 index i using 1:2:3:4:5:6 with xyerrorbars linewidth 1.5 \
    pointtype mark(i) pointsize 0.8 linecolor rgb colour(i) title columnheader(1), \
    for [i = 0:n - 1] ARG1 index i using ($7 > 0 ? $1 : NaN):2 with points pointtype 6 \
    pointsize 2 linewidth 1.5 linecolor rgb '#d00000' notitle
