// Every file of tests/data/plan says in lines that begin with "#! " which diagnostics reading and
// expanding it give together, as "line:column: message (hint)". All of them, in this order, and no
// others.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "benchmarks/config/load.hpp"
#include "benchmarks/plan/expand.hpp"
#include "tests/support/fake_registry.hpp"

namespace apod::plan {
namespace {

namespace fs = std::filesystem;
const std::string folder = APOD_SOURCE_DIR "/tests/data/plan";

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> expected_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#! ")) all.push_back(line.substr(3));
  }
  return all;
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, GivesItsDiagnostics) {
  const auto path = folder + "/" + GetParam() + ".yaml";
  const auto registry = test::fake_registry();
  const auto loaded = config::load_file(path, registry, {BackendKind::cuda, {}});
  ASSERT_TRUE(loaded.config);
  ExpandOptions options;
  options.device_memory_bytes = std::uint64_t{1} << 30;
  const auto outcome = expand(*loaded.config, registry, options, loaded.diagnostics);
  EXPECT_FALSE(outcome.plan);
  std::vector<std::string> given;
  for (const auto& diagnostic : outcome.diagnostics) {
    given.push_back(to_string(diagnostic).substr(path.size() + 1));
  }
  EXPECT_EQ(given, expected_of(path));
}

INSTANTIATE_TEST_SUITE_P(Files, Corpus, testing::ValuesIn(files()),
                         [](const auto& test) { return test.param; });

TEST_P(Corpus, SurvivesDamage) {
  const auto path = folder + "/" + GetParam() + ".yaml";
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(text.empty());
  const auto registry = test::fake_registry();
  ExpandOptions options;
  options.filter = "sum";
  options.max_cases = 2000;
  int refused = 0;
  const auto check = [&](const std::string& damaged) {
    const auto loaded = config::load_text(damaged, path, registry, {BackendKind::cuda, {"size=8"}});
    EXPECT_TRUE(loaded.config || !loaded.diagnostics.empty());
    if (!loaded.config) return;
    const auto outcome = expand(*loaded.config, registry, options, loaded.diagnostics);
    EXPECT_NE(outcome.plan.has_value(), !outcome.diagnostics.empty());
    EXPECT_GE(outcome.diagnostics.size(), loaded.diagnostics.empty() ? 0u : 1u);
    refused += outcome.plan ? 0 : 1;
  };
  for (std::size_t i = 0; i < text.size(); i += 11) {
    for (const char c : {'[', '}', ':', '-', '9', ' ', '#'}) {
      auto damaged = text;
      damaged[i] = c;
      check(damaged);
    }
    check(text.substr(0, i));
  }
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace apod::plan
