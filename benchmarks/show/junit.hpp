#pragma once

/// \file
/// JUnit XML, as CI systems read it. Internal to show/.

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/api/types.hpp"

namespace apod::show {

/// The outcome of a test for a CI system.
enum class JUnitOutcome : std::uint8_t { passed, failure, error, skipped };

struct JUnitTest {
  std::string name;
  double time_s = 0;  ///< 0: none
  JUnitOutcome outcome = JUnitOutcome::passed;
  std::string type;                     ///< a word for the outcome: "regression"
  std::string message;                  ///< one line
  std::vector<std::string> lines = {};  ///< further remarks on it
};

struct JUnitSuite {
  std::string program;  ///< "bench compare"
  std::string name;
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<JUnitTest> tests;
};

/// Texts may hold anything: what XML has no room for is replaced.
void write_junit(std::ostream& out, const JUnitSuite& suite);

/// Workflow commands of GitHub Actions (`::error title=...::...`), a line for each error or
/// failure. GitHub shows ten per step, so there are at most ten; if there are more, the tenth ends
/// with `summary`. Texts may hold anything.
void write_annotations(std::ostream& out, const JUnitSuite& suite, const std::string& summary);

}  // namespace apod::show

template <>
struct apod::EnumNames<apod::show::JUnitOutcome> {
  static constexpr std::array<std::string_view, 4> names{"passed", "failure", "error", "skipped"};
};
