// What traced processes wrote: a file a part.

#include <filesystem>

#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

void apod::fuzz::try_parts(const std::string& input) {
  const auto folder = path_of("parts");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  int number = 0;
  for (const auto& part : parts_of(input)) {
    write("parts/" + std::to_string(++number) + ".0.parts", part);
    if (number == 4) break;
  }
  const auto kept = path_of("kept.json");
  std::filesystem::remove(kept);
  if (bench({"inspect", folder, "--out", kept}, input).exit_code != 0) return;
  check_written(kept, input);
  expect(bench({"inspect", kept}, input).exit_code == 0, "what it wrote it can't read");
}
