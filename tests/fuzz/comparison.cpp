// Two result files of any kind and the file beside one of NVBench's that holds its samples,
// compared and reported in every format.

#include <cstdlib>

#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

void apod::fuzz::try_comparison(const std::string& input) {
  ::setenv("GITHUB_ACTIONS", "true", 1);
  auto parts = parts_of(input);
  parts.resize(3);
  const std::string base = write("base.json", parts[0]);
  const std::string changed = write("new.json", parts[1]);
  write("samples.bin", parts[2]);
  std::vector<std::string> words{"compare", base, changed, "--threshold", "1%"};
  for (const char* name : {"c.json", "c.md", "c.html", "c.csv", "c.xml", "c.txt"}) {
    write(name, "");
    words.insert(words.end(), {"--out", path_of(name)});
  }
  const auto said = bench(words, input);
  if (said.exit_code == 1) return;
  for (const char* name : {"c.json", "c.md", "c.html", "c.csv", "c.xml", "c.txt"}) {
    check_written(path_of(name), input);
  }
  const auto shown = bench({"show", path_of("c.json"), "--out", path_of("again.txt")}, input);
  expect(shown.exit_code == 0, "a comparison can't be shown again: " + shown.err);
  expect(read(path_of("again.txt")) == read(path_of("c.txt")), "it is shown in another way");
}
