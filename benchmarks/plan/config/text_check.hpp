#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "benchmarks/plan/config/problems.hpp"

namespace apod::config {

/// The largest file that is read. An experiment written by hand has a few KiB, and the parser may
/// need five hundred times the size of the text.
constexpr std::size_t max_file_bytes = std::size_t{256} << 10;
/// In one document, aliases counted as often as they are used.
constexpr std::size_t max_values = 200'000;

/// Checks a text before the YAML parser sees it, because the parser's recursion and memory grow
/// with the input: size, UTF-8 without control characters, bounded nesting and brackets, no tab as
/// indentation.
/// Adds what is wrong to `problems`; true when the text may be parsed.
bool check_text(const std::string& text, Problems& problems);

/// Where the first quote opens that is not closed on its line; nothing where each is. For a text
/// that is not valid YAML: such a quote ends at the next one, and what is wrong seems to be there.
std::optional<SourcePlace> unclosed_quote(std::string_view text);

}  // namespace apod::config
