// Every file of tests/data/config says in lines that begin with "#! " which diagnostics it gives,
// as "line:column: message (hint)". All of them, in this order, and no others.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "benchmarks/config/load.hpp"
#include "tests/support/fake_registry.hpp"

namespace apod::config {
namespace {

namespace fs = std::filesystem;
const std::string folder = APOD_SOURCE_DIR "/tests/data/config";

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
  const auto outcome = load_file(path, test::fake_registry(), {BackendKind::cuda, {}});
  auto expected = expected_of(path);
  std::vector<std::string> given;
  for (const auto& diagnostic : outcome.diagnostics) {
    EXPECT_EQ(diagnostic.file, path);
    auto text = to_string(diagnostic).substr(path.size() + 1);
    if (text.starts_with(' ')) text.erase(0, 1);  // a problem of the whole file has no place
    auto* open = given.size() < expected.size() ? &expected[given.size()] : nullptr;
    if (open != nullptr && open->ends_with("...")) {
      open->resize(open->size() - 3);
      text = text.substr(0, open->size());
    }
    given.push_back(text);
  }
  EXPECT_EQ(given, expected);
}

INSTANTIATE_TEST_SUITE_P(Files, Corpus, testing::ValuesIn(files()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace apod::config
