// A recording: an SQLite file, as an export of Nsight Systems, or one of ours; and the two parts of
// an input as a pair.

#include <filesystem>

#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

void apod::fuzz::try_recording(const std::string& input) {
  const auto parts = parts_of(input);
  const auto written = [](const std::string& name, const std::string& part) {
    return write(name + (part.starts_with('{') ? ".json" : ".sqlite"), part);
  };
  const std::string file = written("x", parts.front());
  const std::string trace = path_of("trace.json");
  std::filesystem::remove(trace);
  if (bench({"inspect", file, "--trace-out", trace}, input).exit_code == 0) {
    check_written(trace, input);
    bench({"inspect", file, "--table", "kernels", "--csv", "-c", "all"}, input);
    bench({"inspect", file, "--table", "kernels", "-w", "60"}, input);
    const std::string page = path_of("pair.html");
    std::filesystem::remove(page);
    const std::string end = parts.size() == 1 ? "\n" : "";  // copies are no pair
    bench({"compare", file, written("y", parts.back() + end), "--out", page}, input);
    if (std::filesystem::exists(page)) check_written(page, input);
  }
}
