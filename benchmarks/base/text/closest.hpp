#pragma once

#include <string>
#include <vector>

namespace apod::text {

/// The candidate closest to `word` by edit distance, or "" when none is close enough to mean it.
std::string closest(const std::string& word, const std::vector<std::string>& candidates);

/// "did you mean 'streams'?" of what was found to be close; `otherwise` where that is nothing.
std::string did_you_mean(const std::string& near, const std::string& otherwise = "");

/// " (TEXT)" behind a message; nothing of no text.
std::string in_brackets(const std::string& text);

}  // namespace apod::text
