#pragma once

#include <string>

#include "benchmarks/report/document.hpp"

namespace apod::report {

/// For `bench inspect`, until it builds a Document.
inline std::string paint(const std::string& text, Tone tone, const ConsoleStyle& style) {
  const bool bold = style.color && tone == Tone::strong;
  return bold ? "\x1b[1m" + text + "\x1b[0m" : text;
}

}  // namespace apod::report
