#pragma once

/// \file
/// Mistakes in a YAML text that its parser does not name.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace apod::config {

struct Slip {
  std::size_t at = 0;
  std::string problem;
  std::string hint;
  std::string word = "";    ///< at that place, if it only lacks quotes ...
  std::string quoted = "";  ///< ... and what to write there
};

/// The word in double quotes, or in single ones if it holds a quote or a backslash.
std::string quoted_for_yaml(const std::string& word);

/// Position after the quoted word that begins at `text[at]`, or npos where it has no end.
std::size_t end_of_quoted(std::string_view text, std::size_t at);

/// The first mistake up to the place where the parser stumbled, with its message; nothing if it is
/// none of those that are known here.
std::optional<Slip> slip_before(const std::string& text, std::size_t place,
                                const std::string& message);

}  // namespace apod::config
