# SPDX-License-Identifier: GPL-2.0-or-later
# A sweep as a picture.  SpawnMeter::Report::Plot writes the data and the arguments.
# gnuplot -c sweep.gp DATA OUT TERMINAL TITLE UNDER AXIS NUMBERS
#   DATA: blocks of lines x,y,low,high: one for each series, headed by its name; then one
#     each of ticks (position,label) of x and of y; one of disturbed points; and one for
#     each series with the ends of a straight line
#   TERMINAL: svg or png; UNDER: the line under the title; AXIS: of x
#   NUMBERS: series, form (names, log or linear), 1 where x is logarithmic, ends of x and of
#     y, height of the picture, where the axis of x is broken (0: nowhere); then for each
#     series the number of its ink
n = word(ARG7, 1) + 0; form = word(ARG7, 2); logx = word(ARG7, 3) + 0
x1 = word(ARG7, 4) + 0; x2 = word(ARG7, 5) + 0; y1 = word(ARG7, 6) + 0; y2 = word(ARG7, 7) + 0
height = word(ARG7, 8) + 0; broken = word(ARG7, 9) + 0
set datafile separator ','
set datafile missing ''
if (ARG3 eq 'svg') set terminal svg size 800,height dynamic background rgb 'white' font 'sans,14'
cairo = strstrt(GPVAL_TERMINALS, ' pngcairo ') > 0
if (ARG3 eq 'png' && cairo) set terminal pngcairo size 800,height font 'sans,11'
if (ARG3 eq 'png' && !cairo) set terminal png size 800,height
# Labels are text: in enhanced text, a font name is written into the SVG as it is
set termoption noenhanced
set output ARG2
set title ARG4 . "\n" . ARG5 noenhanced
set key above noenhanced
set xrange [x1:x2]
set yrange [y1:y2]
set xtics nomirror () noenhanced
set ytics nomirror () noenhanced
if (logx) set logscale x
if (form eq 'log') set logscale y
time = ARG8
if (form eq 'names') set xlabel time; set ylabel ''
if (form ne 'names') set xlabel ARG6 noenhanced; set ylabel time
if (broken > 0) set label 1 '//' at broken, graph 0 center front
# Marks and dashes differ too, for grey prints
array ink[6] = ['#000000', '#b8432f', '#1f5fa8', '#6b8e23', '#8a4fa3', '#7a7a7a']
style(i) = int(word(ARG7, 10 + i))
colour(i) = ink[style(i) % 6 + 1]
mark(i) = (style(i) % 6) * 2 + 5
# The grid is drawn by hand, since ticks that come from the data have none
if (form eq 'names') plot \
    ARG1 index n using 1:(y1):(0):(y2 - y1):xtic(2) with vectors nohead linecolor rgb '#d4d7dc' \
    notitle, \
    for [i = 0:n - 1] ARG1 index i using 1:2:3:4 with xerrorbars linewidth 1.5 \
    pointtype mark(i) pointsize 0.8 linecolor rgb colour(i) title columnheader(1), \
    ARG1 index n + 1 using (NaN):1:ytic(2) notitle, \
    ARG1 index n + 2 using 1:2 with points pointtype 6 pointsize 2 linewidth 1.5 \
    linecolor rgb '#d00000' title columnheader(1)
if (form eq 'log') plot \
    ARG1 index n + 1 using (x1):1:(x2 - x1):(0):ytic(2) with vectors nohead \
    linecolor rgb '#d4d7dc' notitle, \
    for [i = 0:n - 1] ARG1 index i using 1:2:3:4 with yerrorlines linewidth 1.5 dashtype i + 1 \
    pointtype mark(i) pointsize 0.8 linecolor rgb colour(i) title columnheader(1), \
    ARG1 index n using 1:(NaN):xtic(2) notitle, \
    ARG1 index n + 2 using 1:2 with points pointtype 6 pointsize 2 linewidth 1.5 \
    linecolor rgb '#d00000' title columnheader(1)
if (form eq 'linear') plot \
    ARG1 index n + 1 using (x1):1:(x2 - x1):(0):ytic(2) with vectors nohead \
    linecolor rgb '#d4d7dc' notitle, \
    for [i = 0:n - 1] ARG1 index n + 3 + i using 1:2 with lines linewidth 1.2 dashtype i + 1 \
    linecolor rgb colour(i) notitle, \
    for [i = 0:n - 1] ARG1 index i using 1:2:3:4 with yerrorbars linewidth 1.5 \
    pointtype mark(i) pointsize 0.8 linecolor rgb colour(i) title columnheader(1), \
    ARG1 index n using 1:(NaN):xtic(2) notitle, \
    ARG1 index n + 2 using 1:2 with points pointtype 6 pointsize 2 linewidth 1.5 \
    linecolor rgb '#d00000' title columnheader(1)
