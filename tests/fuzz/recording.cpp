// A recording: an SQLite file, as an export of Nsight Systems, or one of ours.

#include <filesystem>

#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

void apod::fuzz::try_recording(const std::string& input) {
  const std::string file = write(input.starts_with('{') ? "x.json" : "x.sqlite", input);
  const std::string trace = path_of("trace.json");
  std::filesystem::remove(trace);
  if (bench({"inspect", file, "--trace-out", trace}, input).exit_code == 0) {
    check_written(trace, input);
    bench({"inspect", file, "--table", "kernels", "--csv", "-c", "all"}, input);
    bench({"inspect", file, "--table", "kernels", "-w", "60"}, input);
  }
}
