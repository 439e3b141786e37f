#include "benchmarks/show/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "benchmarks/base/text/markup.hpp"

namespace apod::show {
namespace {

using text::as_markup;

const char* element_of(JUnitOutcome outcome) {
  switch (outcome) {
    case JUnitOutcome::failure:
      return "failure";
    case JUnitOutcome::error:
      return "error";
    case JUnitOutcome::skipped:
      return "skipped";
    case JUnitOutcome::passed:
      break;
  }
  return nullptr;
}

std::size_t count_of(const JUnitSuite& suite, JUnitOutcome outcome) {
  return static_cast<std::size_t>(
      std::count_if(suite.tests.begin(), suite.tests.end(),
                    [&](const JUnitTest& test) { return test.outcome == outcome; }));
}

void write_test(std::ostream& out, const std::string& classname, const JUnitTest& test) {
  out << fmt::format("    <testcase classname=\"{}\" name=\"{}\"", classname, as_markup(test.name));
  if (test.time_s > 0 && std::isfinite(test.time_s)) {
    out << fmt::format(" time=\"{:.9f}\"", test.time_s);
  }
  out << ">\n";
  std::string body;
  for (const auto& line : test.lines) body += as_markup(line) + "\n";
  if (const char* element = element_of(test.outcome)) {
    out << fmt::format("      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n", element,
                       as_markup(test.message), test.type, body);
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
  for (const auto& [name, value] : suite.properties) {
    out << "      <property name=\"" << name << "\" value=\"" << as_markup(value) << "\"/>\n";
  }
  out << "    </properties>\n";
  for (const auto& test : suite.tests) write_test(out, classname, test);
  out << "  </testsuite>\n</testsuites>\n";
}

}  // namespace apod::show
