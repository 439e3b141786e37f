#pragma once

/// \file
/// Figures as SVG. One renderer draws them for a page and for a paper.

#include <string>

#include "benchmarks/show/figure/figure.hpp"

namespace apod::figure {

struct Style {
  double width = 720;  ///< px
  bool titled = true;
  /// A file of its own includes its colours and fonts; a page has them from figure_rules.
  bool alone = true;
  bool texts = true;  ///< of points, for a pointer
  /// Smaller text, for renderers that have only wide fonts and, unlike a browser, don't fit text to
  /// its space.
  bool small = false;
};

/// The figure as an element <svg>, with a title and a description for readers who don't see it.
/// Values that are not finite, or not positive on a logarithmic scale, are left out, and a note
/// says how many points. Text may be anything.
std::string svg_of(const Figure& figure, const Style& style = {});

/// Rules of CSS, of figure.css. Series have colours that colour-blind people can distinguish, and
/// that differ from those of kernels, copies and ranges. For screens that prefer it, lighter ones
/// on dark.
extern const char* const figure_rules;

}  // namespace apod::figure
