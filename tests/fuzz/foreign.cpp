// A file of another program: what recognises formats by their lines, and every reader behind it.
// The first byte of the input chooses the name of the file, which decides nothing of the format.

#include <filesystem>

#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

namespace apod::fuzz {

void try_foreign(const std::string& input) {
  constexpr const char* names[] = {"x.log", "x.csv", "data.js", "new/estimates.json"};
  const auto choice = input.empty() ? 0 : static_cast<unsigned char>(input.front()) % 4;
  std::filesystem::create_directories(path_of("new"));
  const std::string file = write(names[choice], input.empty() ? "" : input.substr(1));
  std::filesystem::remove(path_of("shown.json"));
  if (bench({"show", file, "--out", path_of("shown.json")}, input).exit_code == 0) {
    check_written(path_of("shown.json"), input);
    const auto said = bench({"show", path_of("shown.json"), "--format", "csv"}, input);
    expect(said.exit_code == 0, "what was written can't be read");
  }
  bench({"show", file, "--format", "csv"}, input);
  bench({"history", file}, input);
  bench({"compare", file, path_of("shown.json")}, input);
  bench({"export", file, "--to", "go"}, input);
  bench({"export", file, "--to", "smaller_is_better", "--metric", "bandwidth"}, input);
}

}  // namespace apod::fuzz
