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

INSTANTIATE_TEST_SUITE_P(Files, Corpus, testing::ValuesIn(files()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace apod::plan
