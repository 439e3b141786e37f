"""Makes fixtures.csv: what SciPy and NumPy say, for tests/benchmarks/stats/summary_test.cpp.

    pip install numpy scipy && python3 tests/data/stats/make_fixtures.py

One check a line: function, argument, expected values, series a, series b; values of one column are
separated by blanks. Everything is drawn from one seed, so a new run writes the same file.
"""

import csv
import pathlib

import numpy as np
from scipy import stats

rng = np.random.default_rng(20240229)
rows = []


def check(function, argument, expected, a=(), b=()):
    def text(values):
        return " ".join(repr(float(v)) for v in np.atleast_1d(values))

    rows.append([function, argument, text(expected), text(a) if len(a) else "", text(b) if len(b) else ""])


def ar1(n, phi, mean, deviation):
    noise = rng.normal(size=n)
    x = np.empty(n)
    x[0] = noise[0] / np.sqrt(1 - phi * phi)
    for i in range(1, n):
        x[i] = phi * x[i - 1] + noise[i]
    return mean + deviation * x


def autocorrelation_time(x):
    n = len(x)
    d = x - x.mean()
    rho = np.correlate(d, d, "full")[n - 1:] / np.dot(d, d)
    tau = 1 + 2 * np.cumsum(rho[1:])
    lags = np.arange(1, n)
    closed = np.nonzero(lags >= 5 * tau)[0]
    k = closed[0] if len(closed) else n - 2
    lag = lags[k] if len(closed) else n
    return float(np.clip(tau[k] * (1 + (2 * lag + 1) / n), 1, n))


def series_mean(x):
    effective = max(2.0, len(x) / autocorrelation_time(x))
    return x.mean(), np.sqrt(x.var() / (effective - 1)), effective - 1


def t_interval(mean, error, degrees, confidence):
    return (mean, *stats.t.interval(confidence, degrees, loc=mean, scale=error))


series = {
    "two": np.array([3.0, 1.0]),
    "times": rng.lognormal(np.log(28e-6), 0.02, 25),
    "even": rng.normal(10, 3, 40),
    "huge": rng.uniform(1e307, 1.7e307, 9),
    "tiny": rng.uniform(1e-307, 1e-306, 12),
    "ties": np.repeat([1.0, 2.0, 5.0], [3, 4, 2]),
}
for x in series.values():
    scale = np.max(np.abs(x))  # NumPy's own squares leave the range of a double
    check("mean", "", np.mean(x / scale) * scale, x)
    check("standard_deviation", "", np.std(x / scale, ddof=1) * scale, x)
    check("median", "", np.median(x), x)
    for q in (0, 0.05, 0.25, 0.5, 0.9, 1):
        check("quantile", q, np.quantile(x, q), x)
    for confidence in (0.9, 0.95, 0.99):
        y = x / scale
        interval = t_interval(y.mean(), stats.sem(y), len(y) - 1, confidence)
        check("mean_interval", confidence, np.array(interval) * scale, x)
        log_interval = t_interval(np.log(x).mean(), stats.sem(np.log(x)), len(x) - 1, confidence)
        check("log_mean_interval", confidence, np.exp(log_interval), x)

for degrees in (0.5, 1, 2, 3, 11.7, 100, 1e6, 1e9):
    for probability in (0.005, 0.25, 0.5, 0.95, 0.975, 0.9995):
        check("t_quantile", probability, [stats.t.ppf(probability, degrees)], [degrees])

for n in (3, 5, 12):
    b = rng.lognormal(np.log(1e-3), 0.05, n)
    a = b * rng.lognormal(np.log(0.9), 0.01, n)
    test = stats.ttest_rel(np.log(a), np.log(b)).confidence_interval(0.95)
    change = [np.exp(np.mean(np.log(a / b))) - 1, np.expm1(test.low), np.expm1(test.high)]
    check("paired_change", 0.95, change, a, b)

for n, phi in ((3, 0), (20, 0), (60, 0), (200, 0.5), (150, 0.9), (300, -0.5)):
    a = ar1(n, phi, 100, 2)
    b = ar1(n + 7, phi / 2, 80, 1)
    check("autocorrelation_time", "", [autocorrelation_time(a)], a)
    check("series_mean_interval", 0.95, t_interval(*series_mean(a), 0.95), a)
    (ma, ea, da), (mb, eb, db) = series_mean(a), series_mean(b)
    va, vb = (ea / ma) ** 2, (eb / mb) ** 2
    degrees = (va + vb) ** 2 / (va**2 / da + vb**2 / db)
    interval = t_interval(np.log(ma / mb), np.sqrt(va + vb), degrees, 0.95)
    check("series_change", 0.95, np.expm1(interval), a, b)

with open(pathlib.Path(__file__).with_name("fixtures.csv"), "w", newline="") as file:
    csv.writer(file, lineterminator="\n").writerows([["function", "argument", "expected", "a", "b"], *rows])
