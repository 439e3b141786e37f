#include "benchmarks/files/sanitizer_log.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "benchmarks/base/text/plain.hpp"

namespace apod::files {
namespace {

constexpr std::string_view prefix = "========= ";
/// Details of a message are indented. Of an error these many lines say what, where and by whom.
constexpr std::string_view indent = "    ";
constexpr std::size_t most_details = 4;

/// The number before `word`; 0 if there is none.
std::uint64_t number_before(std::string_view line, std::string_view word) {
  const auto end = line.find(word);
  if (end == std::string_view::npos) return 0;
  const auto digits = line.substr(0, end);
  const auto begin = digits.find_last_not_of("0123456789") + 1;
  std::uint64_t number = 0;
  std::from_chars(digits.data() + begin, digits.data() + digits.size(), number);
  return number;
}

std::string_view trimmed(std::string_view line) {
  const auto begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \r") - begin + 1);
}

/// A message, which is a line and its details.
struct Message {
  std::string text;
  std::size_t details = 0;
};

/// Backtraces begin so. They are of the host, or say again where the error is.
constexpr std::array<std::string_view, 4> backtraces{"Saved host backtrace", "Host Frame",
                                                     "Device Frame", "Saved device backtrace"};
/// Where an error has its place.
constexpr std::array<std::string_view, 3> places{"at ", "and ", "by thread"};
/// The calls that fail after an error say nothing of it.
constexpr std::string_view of_call = "Program hit";

}  // namespace

SanitizerLog read_sanitizer_log(std::string_view text) {
  SanitizerLog log;
  std::string of_first_call;
  Message open;
  bool has_place = false;
  const auto close = [&] {
    const bool is_call = open.text.starts_with(of_call);
    if (is_call && of_first_call.empty()) of_first_call = open.text;
    if (!is_call && has_place && log.first.empty()) log.first = open.text;
    open = {};
    has_place = false;
  };
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(prefix.substr(0, prefix.size() - 1))) continue;
    line.remove_prefix(std::min(prefix.size(), line.size()));
    const bool is_detail = line.starts_with(indent);
    line = trimmed(line);
    if (line.empty()) continue;
    if (is_detail) {
      if (open.text.empty()) continue;  // of a warning
      if (text::begins_with_any(line, backtraces) || open.details == most_details) {
        open.details = most_details;
        continue;
      }
      has_place = has_place || text::begins_with_any(line, places);
      ++open.details;
      open.text.append(", ").append(line);
      continue;
    }
    close();
    if (line.find(" SUMMARY:") != std::string_view::npos) {
      log.complete = true;
      log.errors += number_before(line, " error");
      continue;
    }
    if (line.starts_with("Warning: ")) continue;
    if (line.starts_with("Error: ")) line.remove_prefix(std::string_view("Error: ").size());
    log.last = line;
    open.text = line;
    // racecheck names both accesses in a line.
    has_place = line.starts_with("Race reported");
  }
  close();
  if (log.first.empty() && log.errors > 0) log.first = of_first_call;
  return log;
}

}  // namespace apod::files
