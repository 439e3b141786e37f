#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace apod::figure {

/// Width of valid UTF-8 in a common sans-serif font (that of Arial and Helvetica), in px for a font
/// of `size` px. Characters beyond ASCII are taken to be wide.
double text_width(std::string_view text, double size);

/// `text`, which must be valid UTF-8, with its middle replaced by "..." if it is wider than `width`
/// px.
std::string fitted(const std::string& text, double width, double size);

/// Each fitted; of different names that would become equal, what tells them apart is kept.
std::vector<std::string> fitted_apart(const std::vector<std::string>& names, double width,
                                      double size);

}  // namespace apod::figure
