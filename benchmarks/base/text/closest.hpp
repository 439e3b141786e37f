#pragma once

#include <string>
#include <vector>

namespace apod::text {

/// The candidate closest to `word` by edit distance, or "" if none is close enough.
std::string closest(const std::string& word, const std::vector<std::string>& candidates);

/// "did you mean 'streams'?" for a close word; `otherwise` if there is none.
std::string did_you_mean(const std::string& near, const std::string& otherwise = "");

/// " (TEXT)" after a message; nothing for an empty text.
std::string in_brackets(const std::string& text);

}  // namespace apod::text
