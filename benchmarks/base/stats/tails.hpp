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

/// The normal score of a t value: the z with P(Z > z) = P(T > t). Beyond +-37 it is cut there.
double normal_score(double t, double degrees);

}  // namespace apod::stats
