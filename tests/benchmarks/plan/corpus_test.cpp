// Every file of tests/data/config says in lines that begin with "#! " which diagnostics reading and
// planning it give together, as "line:column: message (hint)": all of them, in this order, and no
// others. A line that ends in "..." gives the beginning.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/benchmarks/plan/planned.hpp"

namespace apod::plan {
namespace {

const std::string folder = APOD_SOURCE_DIR "/tests/data/config/";

Words files() {
  Words names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Corpus : public testing::TestWithParam<std::string> {
 protected:
  std::string path = folder + GetParam() + ".yaml";
  std::string text = [this] {
    std::ifstream file(path);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  }();
};

TEST_P(Corpus, GivesItsDiagnostics) {
  ExpandOptions options;
  options.device_memory_bytes = std::uint64_t{1} << 30;
  const auto outcome = plan_file(text, path, options);
  EXPECT_EQ(outcome.plan.has_value(), outcome.diagnostics.empty());
  Words expected;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#! ")) expected.push_back(line.substr(3));
  }
  Words given;
  for (const auto& diagnostic : outcome.diagnostics) {
    EXPECT_EQ(diagnostic.file, path);
    auto message = to_string(diagnostic).substr(path.size() + 1);
    if (message.starts_with(' ')) message.erase(0, 1);  // a problem of the whole file has no place
    auto* open = given.size() < expected.size() ? &expected[given.size()] : nullptr;
    if (open != nullptr && open->ends_with("...")) {
      open->resize(open->size() - 3);
      message = message.substr(0, open->size());
    }
    given.push_back(message);
  }
  EXPECT_EQ(given, expected);
}

TEST_P(Corpus, SurvivesDamage) {
  ExpandOptions options;
  options.filter = text::Pattern("sum");
  options.max_cases = 2000;
  std::size_t refused = 0;
  const auto check = [&](const std::string& damaged) {
    const auto outcome = plan_file(damaged, path, options, {.set = {"size=8"}});
    EXPECT_EQ(outcome.plan.has_value(), outcome.diagnostics.empty());
    refused += outcome.plan ? 0 : 1;
  };
  // Every seventh byte becomes another of these, and the text ends early at some of them.
  const std::string damages = {'\0', '[', '}', ':', '&', '*', '-', '"', '\n', '#', '\t', '%', '9'};
  for (std::size_t i = 0; i < text.size(); i += 7) {
    auto damaged = text;
    damaged[i] = damages[i / 7 % damages.size()];
    check(damaged);
    if (i % 5 == 0) check(text.substr(0, i));
  }
  EXPECT_GT(refused, text.size() / 70);
}

INSTANTIATE_TEST_SUITE_P(Files, Corpus, testing::ValuesIn(files()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace apod::plan
