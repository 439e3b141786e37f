// What a command prints or writes, by each of its readers. The first part is an expression and a
// path, a line each, and the second what was printed.

#include <cmath>
#include <stdexcept>

#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/foreign_result.hpp"
#include "benchmarks/files/read_figures.hpp"
#include "benchmarks/files/read_nvidia_tests.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

namespace apod::fuzz {
namespace {

template <class Read>
void try_reader(const std::string& input, const Read& read) {
  try {
    read();
  } catch (const std::runtime_error& error) {
    check_shown(text::printable(error.what()), input);
  }
}

void check_cases(const std::vector<FoundCase>& cases) {
  for (const auto& one : cases) {
    expect(one.failed.empty() || one.samples_s.empty(), "a case that failed has a time");
    for (const double sample : one.samples_s) {
      expect(std::isfinite(sample) && sample > 0, "a time that is none: " + one.name);
    }
  }
}

/// Whether a file could name such an expression.
bool is_pattern(const std::string& expression) {
  try {
    const text::Pattern pattern(expression);
    return pattern.groups() == 1 || pattern.groups() == 2;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace

void try_output(const std::string& input) {
  auto parts = parts_of(input);
  parts.resize(2);
  const auto& [where, output] = std::pair(parts[0], parts[1]);
  const auto end = std::min(where.find('\n'), where.size());
  const auto expression = where.substr(0, end);
  const auto path = where.substr(std::min(end + 1, where.size()));
  for (const auto& [reads, place] : {std::pair(Reads::regex, expression), {Reads::json, path}}) {
    if (reads == Reads::regex && !is_pattern(expression)) continue;
    CommandSpec command;
    command.reads = reads;
    command.figures = {{.name = "time", .where = place, .unit = "ms"}};
    try_reader(input, [&] {
      for (const auto& [name, values] : files::read_figures(command, output)) {
        for (const double value : values) {
          expect(std::isfinite(value) && value > 0, "a time that is none");
        }
      }
    });
  }
  std::vector<std::string> notes;
  try_reader(input, [&] { check_cases(files::read_nccl_tests(output)); });
  try_reader(input, [&] { check_cases(files::read_nvbandwidth(output, notes)); });
  try_reader(input, [&] { check_cases(files::read_benchmarks(write("x.json", output), notes)); });
  for (const auto& note : notes) check_shown(text::printable(note), input);
}

}  // namespace apod::fuzz
