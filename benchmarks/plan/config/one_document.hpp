#pragma once

/// \file
/// From the text of a file to its one YAML document. The text is checked before the parser sees it.

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <optional>
#include <string>

#include "benchmarks/plan/config/problems.hpp"

namespace apod::config {

/// The largest file that is read. An experiment written by hand has a few KiB, and the parser may
/// need five hundred times the size of the text.
constexpr std::size_t max_file_bytes = std::size_t{256} << 10;
/// In one document, aliases counted as often as they are used.
constexpr std::size_t max_values = 200'000;

/// Checks a text before the YAML parser sees it, because the parser's recursion and memory grow
/// with the input: size, UTF-8 without control characters, bounded nesting and brackets, no tab as
/// indentation. Adds problems to `problems`; true if the text may be parsed.
bool check_text(const std::string& text, Problems& problems);

/// The one YAML document of `text`, which check_text has passed. Nothing, with a problem added, if
/// the text is not valid YAML, holds no document, or continues after the first one. A value that
/// begins with one of YAML's own signs, such as `> 1`, is a problem too, and is read as if it were
/// quoted, so that the rest of the file can be checked.
std::optional<YAML::Node> one_document(std::string text, Problems& problems);

}  // namespace apod::config
