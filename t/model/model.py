#!/usr/bin/env python3
"""One statistical model for runs, comparisons and A/B runs: reference implementation of lib/SpawnMeter/Stats.

A run is a list of passes { copies, test, at, y, x }: y the logarithm of the rate, x the mean logarithm of
the reference loops' rates beside it (or None).  A stratum is what was measured in the same rounds: the
tests of one number of copies.  All effects are logarithms; the reports print exp(effect) - 1.

  python3 model.py estimate RUN.csv
  python3 model.py compare [--order ABBA] [--paired] [--loops] [--margin 3] A1.csv A2.csv -- B1.csv B2.csv
  python3 model.py ab RUN.csv                (with a column side: A or B)

CSV: run,copies,test,at,rate[,side][,loops ...]; lines with # are left out; FILE:2 takes only run 2 of FILE.
--order: the letters of the runs in the order in which they were measured (ABAB... by default).
"""
import csv, math, sys
from collections import defaultdict
from scipy.stats import t as student

Q = 0.05            # error of a table: that any of its intervals does not hold the truth ...
COMMON, OWN = 0.04, 0.01    # ... and how it is divided: what all tests of a run share, and what each has for itself
MARGIN = 0.03       # "same within"
TRIM = 0.05         # of the passes, at either end
MOST = 0.95         # correlation of neighbours
TWO_SPEEDS = 0.80   # share of the variance between the two best groups (Otsu), each a fifth at least
PRIOR_SHARE, PRIOR_DF = 0.35, 5             # a run's level where no runs tell it, of the spread of a pass ...
PRIOR_LEAST = {False: 0.025, True: 0.018}   # ... and at least this; True: at one level of the loops
LIKE = 4            # degrees of freedom that the tests' common variance counts for in a test's own
LOOP, LOOP_SD, LOOP_APART = 1.0, 0.2, 0.15                # coefficient of the loops: prior, between tests


def mean(v): return sum(v) / len(v)


# ---- 1. the value ------------------------------------------------------------------------------------

def trimmed(y):
    """-> (trimmed mean, winsorized values in the order given, share that is left)"""
    n = len(y); s = sorted(y); cut = 0 if n < 10 else max(1, int(TRIM * n))
    return mean(s[cut:n - cut]), [min(max(v, s[cut]), s[n - 1 - cut]) for v in y], (n - 2 * cut) / n


def lag1(w):
    """Correlation of neighbours, corrected for its bias (Marriott and Pope 1954)"""
    n = len(w); m = mean(w); v = mean([(a - m)**2 for a in w])
    if n < 6 or v < 1e-18: return 0.0
    r = mean([(a - m) * (b - m) for a, b in zip(w, w[1:])]) / v
    return max(-1.0, min(MOST, (n * r + 1) / (n - 3)))


def two_speeds(y):
    """Share of the variance that lies between two groups, at the best cut with a fifth on either side"""
    s = sorted(y); n = len(s); m = mean(s); total = sum((v - m)**2 for v in s)
    if n < 24 or total < 1e-18: return 0.0      # of fewer, one in ten normal samples would look like it
    cuts = range(math.ceil(n / 5), n - math.ceil(n / 5) + 1)
    return max(k * (mean(s[:k]) - m)**2 + (n - k) * (mean(s[k:]) - m)**2 for k in cuts) / total


def estimate(y, rho=None):
    """Values in order of time -> center, se, df, n_eff, spread, rho, warnings.  rho: that of the stratum"""
    n = len(y)
    if n < 3: return None
    center, w, left = trimmed(y)
    rho = lag1(w) if rho is None else rho
    r = max(0.0, min(MOST, rho))
    n_eff = n * (1 - r) / (1 + r)
    m = mean(w); var = mean([(v - m)**2 for v in w]); ne = max(n_eff, 2.5); h = max(2.0, ne * left)
    out = dict(center=center, se=math.sqrt(var * ne / (h * (h - 1))), df=h - 1, n=n,
               n_eff=n_eff, spread=math.sqrt(var), rho=rho)
    out['warnings'] = [word for word, true in (('few passes', n_eff < 6),
                       ('two speeds', two_speeds(y) > TWO_SPEEDS)) if true]
    return out


def half(e, level=1 - Q): return e['se'] * student.ppf((1 + level) / 2, max(1.0, e['df']))


def strata(run):
    """-> { copies: { test: [passes in order of time] } }"""
    of = defaultdict(lambda: defaultdict(list))
    for p in sorted(run, key=lambda p: p['at']): of[p['copies']][p['test']].append(p)
    return of


def estimates(tests):
    """{ test: [passes] } of one stratum -> { test: estimate }, with one correlation for all of them"""
    ys = {t: [p['y'] for p in ps] for t, ps in tests.items() if len(ps) >= 3}
    if not ys: return {}
    rho = mean([lag1(trimmed(y)[1]) for y in ys.values()])
    return {t: estimate(y, rho) for t, y in ys.items()}


def index(tests):
    """Geometric mean over the tests: its error from the series of the rounds' contributions, so that what
    the tests of a round share counts"""
    est = estimates(tests); T = len(est); rounds = defaultdict(float)
    for t in est:
        _, w, left = trimmed([p['y'] for p in tests[t]]); m = mean(w)
        for i, v in enumerate(w): rounds[i] += (v - m) / left / T * (1 / len(w))
    series = [rounds[i] for i in sorted(rounds)]; n = len(series); rho = lag1(series)
    n_eff = n * (1 - max(0, rho)) / (1 + max(0, rho))
    var = sum(v * v for v in series) * n / max(1.5, n_eff - 1)
    return dict(center=mean([e['center'] for e in est.values()]), se=math.sqrt(var), df=max(1, n_eff - 1),
                n=n, n_eff=n_eff, rho=rho)


# ---- 2. the machine's movement taken out -----------------------------------------------------------------

def adjust(runs):
    """Runs (of one stratum: { test: passes }) at one level of the loops -> (runs, b, se of b, [mean x of each run])
    One coefficient for all tests, from within the runs, with one reading as the instrument of the other where there
    are two (Fuller 1987), drawn to its prior (Lavenberg and Welch 1981; Lindley and Smith 1972).  Runs without loops come back as they are, with b None."""
    if not all(p['x'] is not None for r in runs for ps in r.values() for p in ps): return runs, None, 0.0, None
    xx = xy = yy = both = n = 0; rhos = []; two = all(p.get('x2') for r in runs for ps in r.values() for p in ps)
    for r in runs:
        for ps in r.values():
            w = [p['y'] for p in ps]; mx, my = mean([p['x'] for p in ps]), mean(w)
            xx += sum((p['x'] - mx)**2 for p in ps); yy += sum((v - my)**2 for v in w)
            xy += sum((p['x'] - mx) * (v - my) for p, v in zip(ps, w)); n += len(ps) - 1
            rhos.append(lag1(trimmed(w)[1]))
            if two:                                                     # two readings a pass: without their noise
                (a, b) = [[p['x2'][i] for p in ps] for i in (0, 1)]; ma, mb = mean(a), mean(b)
                both += sum((u - ma) * (v - mb) for u, v in zip(a, b))
    if xx < 1e-18: return runs, None, 0.0, None
    r = max(0.0, mean(rhos)); true = both if two and both > xx / 4 else xx; own = xy / true
    var = max(0.0, yy - 2 * own * xy + own**2 * xx) / (n - 1) * xx / true**2 * (1 + r) / (1 - r)
    share = LOOP_SD**2 / (LOOP_SD**2 + var)
    b, se = share * own + (1 - share) * LOOP, math.sqrt(share * var)
    xs = [mean([p['x'] for ps in r.values() for p in ps]) for r in runs]; x0 = mean(xs)
    moved = [{t: [dict(p, y=p['y'] - b * (p['x'] - x0)) for p in ps] for t, ps in r.items()} for r in runs]
    return moved, b, se, xs


# ---- 3. the difference ---------------------------------------------------------------------------------

def drift_factor(order):
    """Variance of the difference of two groups under a random walk, as a multiple of what the spread within
    the groups lets expect; 1 at least.  order: one letter a run"""
    sides = sorted(set(order)); k = [order.count(s) for s in sides]; f = len(order) - len(sides)
    if len(sides) < 2 or f < 1: return 1.0
    a = [-1 / k[0] if s == sides[0] else 1 / k[1] for s in order]
    var = -sum(a[i] * a[j] * abs(i - j) for i in range(len(a)) for j in range(len(a))) / 2
    within = sum(abs(i - j) / order.count(order[i]) for i in range(len(a)) for j in range(i) if order[i] == order[j])
    return max(1.0, var / (within / f * (1 / k[0] + 1 / k[1])))


def differences(A, B, order=None, paired=False, equals=(), use_loops=False):
    """Runs of one stratum a side, { test: passes } -> { test: { d, se, df } } and what it was made of.
    equals: further groups of equal runs of this machine (an A/A run)"""
    sides = [list(A), list(B)] + [list(g) for g in equals]; runs = [r for g in sides for r in g]
    tests = sorted(set.intersection(*[set(r) for r in runs])); T = len(tests)
    extra = b = 0.0
    if use_loops:
        runs, b, se_b, xs = adjust(runs)
        if b is not None:
            dx = mean(xs[len(A):len(A) + len(B)]) - mean(xs[:len(A)])
            extra = (se_b**2 + LOOP_APART**2) * dx**2
    est = [estimates(r) for r in runs]; kA, kB = len(A), len(B)
    row = {t: [e[t]['center'] for e in est] for t in tests}
    sq = {t: [e[t]['se']**2 for e in est] for t in tests}
    d = {t: mean(row[t][kA:kA + kB]) - mean(row[t][:kA]) for t in tests}
    within = {t: sum(sq[t][:kA]) / kA**2 + sum(sq[t][kA:kA + kB]) / kB**2 for t in tests}    # of a difference
    if paired:                                                          # the unit is a pair of runs
        units = [[[row[t][kA + i] - row[t][i] for i in range(kA)] for t in tests]]; c = 1 / kA; kappa = 1.0
        wt = {t: sum(sq[t][:2 * kA]) / kA for t in tests}              # what the passes explain of a mean square
    else:                                                               # the unit is a run
        starts = [0]; c = 1 / kA + 1 / kB
        for g in sides: starts.append(starts[-1] + len(g))
        units = [[row[t][i:j] for t in tests] for i, j in zip(starts, starts[1:])]
        df = sum(len(g) - 1 for g in sides)
        wt = {t: sum((len(g) - 1) / df * mean(sq[t][i:i + len(g)]) if df else mean(sq[t]) * len(g) / len(est)
                     for i, g in zip(starts, sides)) for t in tests}
        kappa = drift_factor(order or ('AB' * max(kA, kB) if kA == kB else 'A' * kA + 'B' * kB))
    f = sum(len(g[0]) - 1 for g in units); W = mean(list(wt.values()))
    if f == 0:                                                          # one run a side: the prior
        spread = sorted(mean([e[t]['spread'] for e in est]) for t in tests)
        level = max(PRIOR_LEAST[b is not None and use_loops], PRIOR_SHARE * (spread[(T - 1) // 2] + spread[T // 2]) / 2)
        rows = {t: dict(d=d[t], common=math.sqrt(2 * level**2 + extra), df_common=PRIOR_DF, own=math.sqrt(within[t]),
                        df_own=within[t]**2 / sum((s / k**2)**2 / e[t]['df'] for s, e, k in
                                                  zip(sq[t], est, [kA] * kA + [kB] * kB)), within1=mean(sq[t])) for t in tests}
        parts = [rows[t]['common'] * student.ppf(1 - Q / 2, PRIOR_DF) for t in tests[:1]]
        parts += [rows[t]['own'] * student.ppf(1 - Q / 2, max(1.0, rows[t]['df_own'])) / T for t in tests]
        return rows, dict(runs=(kA, kB), f=0, level=level, b=b, kappa=1.0, T=T, within=W, c=c, msb=None, msr=None,
                          all=dict(d=mean(list(d.values())), half=math.hypot(*parts)))
    msb, apart = 0.0, dict.fromkeys(tests, 0.0)                         # split-plot: run, run x test
    for g in units:
        dev = [[v - mean(values) for v in values] for values in g]
        for i in range(len(g[0])):
            m = mean([x[i] for x in dev]); msb += T * m * m / f
            for t, x in zip(tests, dev): apart[t] += (x[i] - m)**2 / f / max(1, T - 1)
    msr = sum(apart.values())
    common = math.sqrt(c * kappa * (mean([within[t] for t in tests]) / c + max(0.0, msb - W)) / T + extra)
    rows = {t: dict(d=d[t], common=common, df_common=f, df_own=(T - 1) * f, within1=mean(sq[t]),
                    own=math.sqrt((1 - 1 / T) * (within[t] + c * unlike(max(0.0, msr - W), T * apart[t] - wt[t], f)))) for t in tests}
    middle = sorted(d.values()); middle = (middle[(T - 1) // 2] + middle[T // 2]) / 2
    for t in tests if T > 3 else []:                                    # beside the other tests
        v = rows[t]['own']**2 * (1 + math.pi / 2 / T)
        rows[t]['beside'] = dict(d=d[t] - middle, half=math.sqrt(v) * student.ppf(1 - Q / T / 2, (T - 1) * f))
    level = math.sqrt(max(0.0, msb - max(msr, W)) / T), math.sqrt(max(0.0, msr - W))
    return rows, dict(runs=(kA, kB), paired=paired, f=f, msb=msb, msr=msr, within=W, kappa=kappa, b=b, T=T, c=c, level=level,
                      all=dict(d=mean(list(d.values())), half=common * student.ppf(1 - Q / 2, f)))


def unlike(pooled, own, f):
    """Variance of a test that differs more than the others: moderated (Smyth 2004), upwards only"""
    return max(pooled, (LIKE * pooled + f * own) / (LIKE + f))


def pairs(pa, pb):
    """Passes of two sides in turn -> difference: the estimate of the log ratios of neighbours"""
    return [dict(b, y=b['y'] - a['y'], x=None if a['x'] is None else b['x'] - a['x'], at=(a['at'] + b['at']) / 2)
            for a, b in zip(pa, pb)]


# ---- verdicts ------------------------------------------------------------------------------------------

def half_width(common, df_common, own, df_own, tables, m):
    """Of two independent parts: the squares of their halves add (Howe 1974; Graybill and Wang 1980).  What all
    tests share is drawn once a table, what each has for itself m times (Bonferroni)"""
    one = common * student.ppf(1 - (COMMON if own else Q) / tables / 2, df_common) if common else 0.0
    return math.hypot(one, own * student.ppf(1 - (OWN if common else Q) / m / 2, max(1.0, df_own)) if own else 0.0)


def verdicts(rows, margin=MARGIN, tables=1):
    """Adds low, high and the verdict, which is read off the interval: all of them hold together in 95 %"""
    M = math.log(1 + margin)
    for r in rows.values():
        h = half_width(r['common'], r['df_common'], r['own'], r['df_own'], tables, len(rows))
        r['half'], r['low'], r['high'] = h, r['d'] - h, r['d'] + h
        r['verdict'] = 'faster' if r['low'] > 0 else 'slower' if r['high'] < 0 else 'same' if -M <= r['low'] and r['high'] <= M else 'unclear'
    return rows


def more_runs(info, row, m, tables, margin=MARGIN, most=40):
    """Runs a side, alternating, with which the interval of a row would be within the margin; None beyond `most`"""
    T = info['T']; w = row['within1']
    if info['f']: com, own = info['level'][0]**2, info['level'][1]**2
    else: com, own = info['level']**2, 0.0
    units = 1 if info.get('paired') else 2                              # pairs, or runs on two sides
    w *= 3 - units
    for k in range(max(2, min(info['runs']) + 1), most + 1):
        f = units * (k - 1); c = units / k
        if half_width(math.sqrt(c * (com + (own + w) / T)), f, math.sqrt(c * (1 - 1 / T) * (own + w)), (T - 1) * f, tables, m) <= math.log(1 + margin):
            return k
    return None


def compare(A, B, margin=MARGIN, **options):
    """Runs (lists of passes) a side -> ({ (copies, test): row }, { copies: info })"""
    sa, sb = [strata(r) for r in A], [strata(r) for r in B]; rows, infos = {}, {}
    equals = [[strata(r) for r in g] for g in options.pop('equals', ())]
    for copies in sorted(set.intersection(*[set(s) for s in sa + sb])):
        found, infos[copies] = differences([s[copies] for s in sa], [s[copies] for s in sb],
                                           equals=[[s[copies] for s in g] for g in equals], **options)
        rows.update({(copies, t): r for t, r in found.items()})
    return verdicts(rows, margin, len(infos)), infos


def ab(run, margin=MARGIN):
    """Passes with a side -> rows"""
    of = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for p in sorted(run, key=lambda p: p['at']): of[p['copies']][p['test']][p['side']].append(p)
    rows = {}
    for copies, tests in of.items():
        est = estimates({t: pairs(s['A'], s['B']) for t, s in tests.items()})
        rows.update({(copies, t): dict(d=e['center'], common=0.0, df_common=1, own=e['se'], df_own=e['df'], n=e['n'], rho=e['rho'])
                     for t, e in est.items()})
    return verdicts(rows, margin)


# ---- command line ----------------------------------------------------------------------------------------

def load(name):
    """-> runs of the file, in order"""
    path, _, only = name.partition(':') if ':' in name else (name, '', '')
    runs = defaultdict(list)
    known = {'run', 'pair', 'copies', 'test', 'at', 'rate', 'side', 'round'}
    with open(path) as lines:
        for r in csv.DictReader(l for l in lines if not l.startswith('#')):
            loops = [c for c in r if c not in known]; within = [c for c in loops if c.endswith(('_within', '_between'))]
            v = [r[c] for c in within or loops]
            known_all = v and all(c not in ('', '0') for c in v)
            x = mean([math.log(float(c)) for c in v]) if known_all else None
            x2 = [mean([math.log(float(r[c])) for c in within if c.endswith(e)]) for e in ('_within', '_between')] if known_all and within else None
            runs[r['run']].append(dict(copies=int(r.get('copies') or 1), test=r['test'], at=float(r['at']),
                                       y=math.log(float(r['rate'])), x=x, x2=x2, side=r.get('side')))
    return [runs[k] for k in sorted(runs) if not only or k == only]


def percent(v): return 100 * (math.exp(v) - 1)


def show(rows, infos, margin):
    print(f"{'test':<14}{'copies':>6} {'B/A':>8} {'interval':>20}  verdict (same: within {100 * margin:g} %)")
    for (copies, t), r in sorted(rows.items()):
        words = r['verdict']; info = infos.get(copies)
        if words == 'unclear' and info:
            k = more_runs(info, r, len(rows), len(infos), margin)
            words += f"; {k} runs a side in turn would resolve {100 * margin:g} %" if k else f"; more runs would not resolve {100 * margin:g} %: ./Run ab"
            beside = r.get('beside')
            if beside and abs(beside['d']) > beside['half']: words += f" ({percent(beside['d']):+.1f} % beside the other tests)"
        print(f"{t:<14}{copies:>6} {percent(r['d']):>+7.1f}% {percent(r['low']):>+8.1f} to {percent(r['high']):>+6.1f} %  {words}")
    for copies, info in infos.items():
        if info['f']: print(f"copies {copies}: runs differ by {100 * info['level'][0]:.1f} % (all tests alike) and {100 * info['level'][1]:.1f} % (each), "
                            f"{info['f']} degrees of freedom, drift factor {info['kappa']:.2f}; all tests {percent(info['all']['d']):+.1f} % +/- {100 * info['all']['half']:.1f} %")
        else: print(f"copies {copies}: one run a side; own level of a run assumed to be {100 * info['level']:.1f} %")


def main(argv):
    options, names, margin = {}, [], MARGIN
    what = argv.pop(0) if argv else ''
    while argv:
        a = argv.pop(0)
        if a == '--order': options['order'] = argv.pop(0)
        elif a == '--margin': margin = float(argv.pop(0)) / 100
        elif a in ('--paired', '--loops'): options[{'--paired': 'paired', '--loops': 'use_loops'}[a]] = True
        else: names.append(a)
    if what == 'compare' and '--' in names:
        at = names.index('--'); A, B = [[r for n in part for r in load(n)] for part in (names[:at], names[at + 1:])]
        if options.get('order'):                      # letters in order of time -> that of A's runs, then B's
            order = options['order']; assert (order.count('A'), order.count('B')) == (len(A), len(B)), 'order'
            options['order'] = order
        show(*compare(A, B, margin, **options), margin)
    elif what == 'ab': show(ab(load(names[0])[0], margin), {}, margin)
    elif what == 'estimate':
        for copies, tests in strata(load(names[0])[0]).items():
            for t, e in sorted(estimates(tests).items()):
                print(f"{t:<14}{copies:>6} {math.exp(e['center']):>12.1f} +/- {100 * half(e):.1f} %  {', '.join(e['warnings'])}")
            e = index(tests); print(f"{'index':<14}{copies:>6} {math.exp(e['center']):>12.1f} +/- {100 * half(e):.1f} %")
    else: print(__doc__); return 2
    return 0


if __name__ == '__main__': sys.exit(main(sys.argv[1:]))
