#pragma once

/// \file
/// How wide and how heavy-tailed standardised values are, for values that should be standard
/// normal and may not be.

#include <limits>
#include <span>

namespace apod::stats {

/// A scaled Student's t: values / scale follow t with `degrees`, infinite where they are normal.
struct Tails {
  double scale = 1;
  double degrees = std::numeric_limits<double>::infinity();
};

/// The most likely Tails of values around 0 (Lange, Little & Taylor 1989, "Robust statistical
/// modeling using the t distribution", JASA 84). Normal, unless the likelihood of heavier tails is
/// larger by a factor of exp(2) (Akaike's criterion, with a margin). Fewer than ten values say
/// nothing: {}.
Tails fit_tails(std::span<const double> values);

/// The degrees of freedom of Student's t whose 90 % quantile of |t| lies as many medians of |t| out
/// as that of the values, which are standardised; at most `most`. A median below that of normal
/// values, as of values that are mostly equal, counts as that. Values beyond that quantile are
/// free: a tenth of the cases may really have changed. The ratio gets half a standard error of
/// grace; a whole one is 1.4 / sqrt(n) of it (by simulation).
double tail_degrees(std::span<const double> values, double most);

/// Median of |value| over that of a standard normal variable: the standard deviation of normal
/// values around 0, half of which may be anything. NaN for an empty span.
double robust_scale(std::span<const double> values);

/// The normal score of a t value: the z with P(Z > z) = P(T > t). Beyond +-37 it is cut there.
double normal_score(double t, double degrees);

}  // namespace apod::stats
