// A saved file of whatever kind (a result of ours, of Google Benchmark or of NVBench, a comparison,
// a calibration, ceilings, a history), shown in every format and handed on to other programs.

#include <filesystem>

#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

namespace apod::fuzz {
namespace {

constexpr const char* extensions[] = {".json", ".md", ".html", ".csv", ".txt"};

/// Shows the file in every format, each in a file of its own that begins with `name`.
int show(const std::string& file, const std::string& name, const std::string& input) {
  std::vector<std::string> words{"show", file};
  for (const char* extension : extensions) {
    std::filesystem::remove(path_of(name + extension));
    words.insert(words.end(), {"--out", path_of(name + extension)});
  }
  return bench(words, input).exit_code;
}

}  // namespace

void try_saved(const std::string& input) {
  const std::string file = write("x.json", input);
  if (show(file, "shown", input) == 0) {
    for (const char* extension : extensions) check_written(path_of("shown") + extension, input);
    // What was written is a file of ours, and shows the same again.
    expect(show(path_of("shown.json"), "again", input) == 0, "what was written can't be read");
    for (const char* extension : extensions) {
      expect(read(path_of("shown") + extension) == read(path_of("again") + extension),
             std::string("shown again, it is not the same: ") + extension);
    }
  }
  bench({"show", file, "--explain", "--timers", "--color", "never"}, input);
  for (const char* format : {"google", "bmf", "smaller_is_better"}) {
    std::filesystem::remove(path_of("out.json"));
    const auto said = bench({"export", file, "--to", format, "--out", path_of("out.json")}, input);
    if (said.exit_code == 0) check_written(path_of("out.json"), input);
  }
  bench({"export", file, "--to", "go"}, input);
  bench({"history", file}, input);
  for (const std::string command : {"report", "plot"}) {
    const std::string out = path_of(command == "report" ? "page.html" : "figure.svg");
    std::filesystem::remove(out);
    const auto said = bench({command, file, "--out", out}, input);
    if (said.exit_code == 0) check_written(out, input);
  }
}

}  // namespace apod::fuzz
