#pragma once

#include <string>
#include <vector>

namespace apod::text {

/// The candidate closest to `word` by edit distance, or "" when none is close enough to mean it.
std::string closest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace apod::text
