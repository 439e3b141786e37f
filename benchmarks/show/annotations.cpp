#include "benchmarks/show/annotations.hpp"

#include <fmt/format.h>

#include <ostream>
#include <string_view>

#include "benchmarks/base/text/plain.hpp"

namespace apod::show {
namespace {

/// GitHub shows this many errors of one step.
constexpr std::size_t most_annotations = 10;
constexpr std::size_t longest_title = 200;
constexpr std::size_t longest_message = 2000;

/// What the runner takes back after it split the command: `%` in a message, and in a property also
/// the characters that end it. Line breaks are gone already.
std::string escaped(const std::string& text, std::size_t width, std::string_view special) {
  std::string result;
  for (const char c : text::shorten(text::printable(text), width)) {
    const bool is_special = special.find(c) != std::string_view::npos;
    result += is_special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return result;
}

void annotate(std::ostream& out, const std::string& title, const std::string& message) {
  out << "::error title=" << escaped(title, longest_title, "%:,")
      << "::" << escaped(message, longest_message, "%") << '\n';
}

}  // namespace

void write_annotations(std::ostream& out, const std::string& program,
                       const std::vector<Annotation>& annotations, const std::string& summary) {
  const bool all = annotations.size() <= most_annotations;
  const std::size_t shown = all ? annotations.size() : most_annotations - 1;
  for (std::size_t i = 0; i < shown; ++i) {
    annotate(out, annotations[i].title, annotations[i].message);
  }
  if (!all) {
    annotate(out, program, fmt::format("and {} more; {}", annotations.size() - shown, summary));
  }
}

}  // namespace apod::show
