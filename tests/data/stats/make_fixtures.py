"""Makes fixtures.json: what NumPy, SciPy and statsmodels say, for tests/benchmarks/stats/*_test.cpp.

    pip install numpy scipy statsmodels && python3 tests/data/stats/make_fixtures.py

Each section draws from a seed of its own, so a new run with the same versions writes the same file.
"""

import itertools
import json
import math
import pathlib
import platform
import zlib

import numpy as np
import scipy
import statsmodels
from scipy import integrate, optimize, special, stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestIndPower, TTestPower
from statsmodels.stats.weightstats import ttost_paired

rng = np.random.default_rng()


def draws(n, mean=10.0, deviation=1.0, digits=6):
    return np.round(rng.normal(mean, deviation, n), digits)


# ---- means ------------------------------------------------------------------------------------

def t_interval(mean, error, degrees, confidence):
    return (mean, *stats.t.interval(confidence, degrees, loc=mean, scale=error))


def means():
    """Of series of several kinds, the functions of one span."""
    for x in (np.array([3.0, 1.0]), draws(20, 28e-6, 5e-7, 9), draws(20, 10, 3, 3), draws(9, 1.3, 0.1, 3) * 1e308,
              draws(9, 5, 1, 3) * 1e-307, np.repeat([1.0, 2.0, 5.0], [3, 4, 2])):
        scale = np.max(np.abs(x))  # NumPy's own squares leave the range of a double
        y, logs = x / scale, np.log(x)
        yield {"x": x, "mean": np.mean(y) * scale, "standard_deviation": np.std(y, ddof=1) * scale,
               "median": np.median(x), "quantiles": [[q, np.quantile(x, q)] for q in (0, 0.05, 0.25, 0.5, 0.9, 1)],
               "mean_intervals": [[c, *(np.array(t_interval(y.mean(), stats.sem(y), len(y) - 1, c)) * scale)]
                                  for c in (0.9, 0.99)],
               "log_mean_intervals": [[c, *np.exp(t_interval(logs.mean(), stats.sem(logs), len(x) - 1, c))]
                                      for c in (0.9, 0.99)]}


def t_quantiles():
    for degrees in (0.5, 1, 2, 3, 11.7, 100, 1e6, 1e9):
        for probability in (0.005, 0.25, 0.5, 0.95, 0.975, 0.9995):
            yield {"probability": probability, "degrees": degrees, "t": stats.t.ppf(probability, degrees)}


def paired_changes():
    for n in (3, 5, 12):
        b = draws(n, 1e-3, 5e-5, 9)
        a = np.round(b * rng.lognormal(np.log(0.9), 0.01, n), 9)
        test = stats.ttest_rel(np.log(a), np.log(b)).confidence_interval(0.95)
        yield {"a": a, "b": b, "change": [np.exp(np.mean(np.log(a / b))) - 1, np.expm1(test.low), np.expm1(test.high)]}


def unpaired_changes():
    for n, m in ((3, 3), (3, 12), (5, 4)):
        b = draws(m, 1e-3, 5e-5, 9)
        a = draws(n, 1.5e-3, 2e-4, 9)
        test = stats.ttest_ind(np.log(a), np.log(b), equal_var=False).confidence_interval(0.95)
        yield {"a": a, "b": b, "change": [np.exp(np.mean(np.log(a)) - np.mean(np.log(b))) - 1,
                                          np.expm1(test.low), np.expm1(test.high)]}


# ---- series -----------------------------------------------------------------------------------

def ar1(n, phi, mean, deviation):
    noise = rng.normal(size=n)
    x = np.empty(n)
    x[0] = noise[0] / np.sqrt(1 - phi * phi)
    for i in range(1, n):
        x[i] = phi * x[i - 1] + noise[i]
    return np.round(mean + deviation * x, 3)


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


def series():
    for n, phi in ((3, 0), (20, 0), (60, 0), (200, 0.5), (150, 0.9), (300, -0.5)):
        x = ar1(n, phi, 100, 2)
        tau = autocorrelation_time(x)
        effective = max(2.0, n / tau)
        yield {"x": x, "autocorrelation_time": tau, "mean": x.mean(),
               "standard_error": np.sqrt(x.var() / (effective - 1)), "degrees": effective - 1}


# ---- t tests and corrections ------------------------------------------------------------------

def t_tail():
    for degrees in (1, 1.5, 4, 30, 1000, 1e8):
        for t in (-1e6, -5, -0.3, 0, 0.7, 3, 12, 40, 1e6):
            yield {"t": t, "degrees": degrees, "p": stats.t.sf(t, degrees)}
    for t, degrees in ((1e60, 5), (1e100, 3), (37, 1e9), (1e20, 15)):  # p of 1e-300 and about
        yield {"t": t, "degrees": degrees, "p": stats.t.sf(t, degrees)}


def paired():
    for n in (2, 3, 10, 60):
        a = draws(n, 10, 3)
        b = np.round(a * 1.02 + rng.normal(0, 0.2, n), 6)
        test = stats.ttest_rel(b, a)
        yield {"differences": np.round(b - a, 6), "degrees": test.df, "different": test.pvalue,
               "above": stats.ttest_rel(b, a, alternative="greater").pvalue,
               "below": stats.ttest_rel(b, a, alternative="less").pvalue,
               "width": 0.5, "equivalent": ttost_paired(b, a, -0.5, 0.5)[0]}


def corrections():
    for p in ([0.03], [0.0, 1.0], [0.5] * 6, [1e-300, 0.04, 1e-300, 0.9], [0.01, 0.02, 0.03, 0.04, 0.05], [1.0] * 3,
              rng.uniform(0, 1, 40).round(4), rng.beta(0.2, 3, 200).round(12)):
        yield {"p": p, "holm": multipletests(p, method="holm")[1], "benjamini_hochberg": multipletests(p, method="fdr_bh")[1]}


# ---- power ------------------------------------------------------------------------------------

def power_by_integral(shift, degrees, alpha):
    """P(Z + shift > c S), integrated over Z; where the noncentral t's series fails."""
    c = stats.t.isf(alpha, degrees)
    integrand = lambda z: stats.norm.pdf(z) * stats.chi2.cdf(degrees * max(0, (z + shift) / c) ** 2, degrees)
    return integrate.quad(integrand, -9, 9, epsabs=1e-12, limit=500, points=[0])[0]


def power():
    for degrees in (1, 2, 4.5, 10, 98, 1e5):
        for alpha in (0.05, 0.001):
            for shift in (-3, 0, 0.5, 2, 4, 9, 30):
                c = stats.t.isf(alpha, degrees)
                yield {"shift": shift, "degrees": degrees, "alpha": alpha, "power": stats.nct.sf(c, degrees, shift)}
    for degrees, alpha in ((1, 1e-3), (1, 5e-7), (1.3, 5e-7), (2, 5e-7), (4, 5e-7), (5, 1e-8), (8, 1e-12)):
        c = stats.t.isf(alpha, degrees)
        for share in (0.5, 1, 1.5):
            yield {"shift": share * c, "degrees": degrees, "alpha": alpha,
                   "power": power_by_integral(share * c, degrees, alpha)}


def detectable():
    for n in (3, 5, 10, 40, 1000):
        for alpha in (0.05, 0.01, 0.0005):
            for wanted in (0.5, 0.8, 0.95):
                # TTestPower.solve_power itself stops some 1e-5 short of the root.
                missing = lambda effect: TTestPower().power(effect, n, alpha, alternative="larger") - wanted
                near = TTestPower().solve_power(nobs=n, alpha=alpha, power=wanted, alternative="larger")
                effect = optimize.brentq(missing, 0.9 * near, 1.1 * near, xtol=1e-13)
                yield {"standard_error": 1 / math.sqrt(n), "degrees": n - 1, "alpha": alpha, "power": wanted,
                       "effect": effect}


def units():
    for effect in (2, 1, 0.5, 0.2, 0.05):
        for alpha in (0.05, 0.001):
            for wanted in (0.8, 0.95):
                def smallest(power_of):
                    return next(n for n in itertools.count(2) if power_of(n) >= wanted)
                pair = lambda n: TTestPower().power(effect, n, alpha, alternative="larger")
                sides = lambda n: TTestIndPower().power(effect, n, alpha, alternative="larger")
                yield {"effect": effect, "deviation": 1, "degrees_per_unit": 1, "degrees_lost": 1, "alpha": alpha,
                       "power": wanted, "units": smallest(pair)}
                yield {"effect": effect, "deviation": math.sqrt(2), "degrees_per_unit": 2, "degrees_lost": 2,
                       "alpha": alpha, "power": wanted, "units": smallest(sides)}


# ---- moderated variances ----------------------------------------------------------------------

def variance_priors():
    """Smyth 2004, section 6.2, with a bracketed root in place of Newton's steps."""
    def drawn(count, degrees, prior_degrees, scale):
        true = scale * (prior_degrees / rng.chisquare(prior_degrees, count) if prior_degrees else np.ones(count))
        return np.array([float(f"{x:.6g}") for x in true * rng.chisquare(degrees, count) / degrees])

    cases = [(drawn(60, 9, 4, 1e-5), 9), (drawn(30, 4, 20, 3.0), 4), (drawn(100, 2, 1, 1e-8), 2),
             (drawn(50, 40, 0, 0.25), 40), (np.full(10, 0.01), 9), (drawn(2, 9, 2, 1.0), 9), (np.array([0.5]), 9)]
    for variances, degrees in cases:
        entry = {"variances": variances, "degrees": degrees, "prior_degrees": 0.0, "prior_variance": 0.0}
        if len(variances) > 1:
            logs = np.log(variances) - special.digamma(degrees / 2) + math.log(degrees / 2)
            excess = np.var(logs, ddof=1) - special.polygamma(1, degrees / 2)
            if excess > 0:
                half = optimize.brentq(lambda x: special.polygamma(1, x) - excess, 1e-9, 1e9, xtol=1e-14, rtol=1e-14)
                entry["prior_degrees"] = 2 * half
                entry["prior_variance"] = math.exp(logs.mean() + special.digamma(half) - math.log(half))
            else:
                entry["prior_degrees"] = None
                entry["prior_variance"] = math.exp(logs.mean())
        yield entry


# ---- change points ----------------------------------------------------------------------------

def change_points():
    """Optimal partitioning without any pruning."""
    def brute_force(x, least_deviation, least_length):
        n = len(x)
        d = np.diff(x)
        spread = np.median(np.abs(d)) / stats.norm.ppf(0.75) or np.sqrt(np.mean(d**2))
        noise = max(spread / np.sqrt(2), least_deviation)
        penalty = 3 * np.log(n)
        cost = lambda s, t: np.sum((x[s:t] - np.mean(x[s:t])) ** 2) / noise**2
        best, last = [-penalty] + [np.inf] * n, [0] * (n + 1)
        for t in range(least_length, n + 1):
            for s in range(0, t - least_length + 1):
                total = best[s] + cost(s, t) + penalty if np.isfinite(best[s]) else np.inf
                if total < best[t]:
                    best[t], last[t] = total, s
        starts, t = [], n
        while t > 0:
            t = last[t]
            starts.append(t)
        return {"noise": noise, "cost": best[n], "starts": sorted(starts)[1:]}

    def steps(lengths, levels, deviation=1.0, digits=4):
        return np.concatenate([draws(n, level, deviation, digits) for n, level in zip(lengths, levels)])

    cases = [(steps([60], [10]), 0, 2), (steps([30, 30], [10, 13]), 0, 2), (steps([20, 25, 30], [10, 14, 9]), 0, 2),
             (steps([4, 4], [1, 50]), 0, 2), (steps([50, 3, 50], [0, 6, 0]), 0, 2), (steps([50, 3, 50], [0, 6, 0]), 0, 8),
             (steps([40, 40], [10, 12], 1, 0), 0, 2), (steps([100], [5], 0.001), 0.01, 2), (steps([30, 1, 30], [0, 40, 0]), 0, 1),
             (steps([30, 1, 30], [0, 40, 0]), 0, 2), (steps([30, 1, 30], [0, 4, 0]), 0, 5), (np.array([1.0] * 5 + [2.0] * 6), 0, 2),
             (np.cumsum(draws(90, 0, 1)), 0, 3), (draws(70, 0, 1, 0), 0, 4)]
    for _ in range(25):
        lengths = rng.integers(1, 25, rng.integers(1, 7))
        cases.append((steps(lengths, rng.normal(0, 3, len(lengths))), 0, int(rng.integers(1, 7))))
    for x, least_deviation, least_length in cases:
        if len(x) >= 2 * least_length:
            yield {"x": x, "least_deviation": least_deviation, "least_length": least_length,
                   **brute_force(x, least_deviation, least_length)}


def plain(value):
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


SECTIONS = [means, t_quantiles, paired_changes, unpaired_changes, series, t_tail, paired, corrections, power, detectable, units,
            variance_priors, change_points]
versions = {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__,
            "statsmodels": statsmodels.__version__}
lines = [f'"made_with": {json.dumps(versions)}']
for section in SECTIONS:
    rng = np.random.default_rng(zlib.crc32(section.__name__.encode()))
    entries = ",\n".join(json.dumps(plain(entry), allow_nan=False) for entry in section())
    lines.append(f'"{section.__name__}": [\n{entries}\n]')
pathlib.Path(__file__).with_name("fixtures.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
