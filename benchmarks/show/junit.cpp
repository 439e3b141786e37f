#include "benchmarks/show/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string_view>

#include "benchmarks/base/text/markup.hpp"
#include "benchmarks/base/text/plain.hpp"

namespace apod::show {

namespace {

using text::as_markup;

std::size_t count_of(const JUnitSuite& suite, JUnitOutcome outcome) {
  return static_cast<std::size_t>(std::ranges::count_if(
      suite.tests, [&](const JUnitTest& test) { return test.outcome == outcome; }));
}

void write_test(std::ostream& out, const std::string& classname, const JUnitTest& test) {
  out << fmt::format("    <testcase classname=\"{}\" name=\"{}\"", classname, as_markup(test.name));
  if (test.time_s > 0 && std::isfinite(test.time_s))
    out << fmt::format(" time=\"{:.9f}\"", test.time_s);
  out << ">\n";
  std::string body;
  for (const auto& line : test.lines) body += as_markup(line) + "\n";
  if (test.outcome != JUnitOutcome::passed) {
    out << fmt::format("      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n",
                       to_string(test.outcome), as_markup(test.message), test.type, body);
  } else {
    out << "      <system-out>" << as_markup(test.message) << "\n" << body << "</system-out>\n";
  }
  out << "    </testcase>\n";
}

}  // namespace

void write_junit(std::ostream& out, const JUnitSuite& suite) {
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", suite.tests.size(),
                  count_of(suite, JUnitOutcome::failure), count_of(suite, JUnitOutcome::error));
  std::string classname = suite.program;
  std::replace(classname.begin(), classname.end(), ' ', '.');
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out << "<testsuites name=\"" << suite.program << "\" " << counts << ">\n";
  out << "  <testsuite name=\"" << as_markup(suite.name) << "\" " << counts << " skipped=\""
      << count_of(suite, JUnitOutcome::skipped) << "\">\n    <properties>\n";
  for (const auto& [name, value] : suite.properties)
    out << "      <property name=\"" << name << "\" value=\"" << as_markup(value) << "\"/>\n";
  out << "    </properties>\n";
  for (const auto& test : suite.tests) write_test(out, classname, test);
  out << "  </testsuite>\n</testsuites>\n";
}

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

void write_annotations(std::ostream& out, const JUnitSuite& suite, const std::string& summary) {
  std::size_t left = count_of(suite, JUnitOutcome::failure) + count_of(suite, JUnitOutcome::error);
  std::size_t room = left <= most_annotations ? left : most_annotations - 1;
  for (const auto& test : suite.tests) {
    const bool red = test.outcome == JUnitOutcome::failure || test.outcome == JUnitOutcome::error;
    if (!red || room == 0) continue;
    const auto word = test.type + ": ";
    auto message = test.message.substr(test.message.starts_with(word) ? word.size() : 0);
    for (const auto& line : test.lines) {
      if (message.find(line) == std::string::npos) message += "; " + line;
    }
    annotate(out, word + test.name, message);
    --left;
    --room;
  }
  if (left > 0) annotate(out, suite.program, fmt::format("and {} more; {}", left, summary));
}

}  // namespace apod::show
