// Words that leave for another language: a shell's line, a batch script, C++ source. The parts are
// a study's name, its output, a word of its command line, and a kernel's name.

#include <sstream>
#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/slurm_script.hpp"
#include "kernels/files/kernel_family.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

namespace apod::fuzz {
namespace {

void try_script(const std::vector<std::string>& parts) {
  const cli::SlurmJob job{.name = parts[0],
                          .program = "bench",
                          .arguments = {parts[2], "-q", parts[2]},
                          .out = parts[1],
                          .nodes = 3,
                          .gpus = 2};
  std::string script;
  try {
    script = array_script(job);
  } catch (const std::runtime_error&) {
    return;
  }
  std::istringstream lines(script);
  for (std::string line; std::getline(lines, line);) {
    expect(line.starts_with('#') || line.starts_with("exec "), "a line of its own: " + line);
    if (!line.starts_with("#SBATCH --") || line.find('=') == std::string::npos) continue;
    const auto value = line.substr(line.find('=') + 1);
    const bool quoted = value.size() > 1 && value.starts_with('"') && value.ends_with('"') &&
                        value.find('"', 1) == value.size() - 1;
    expect(quoted || line == "#SBATCH --open-mode=append", "no quoted value: " + line);
  }
}

void try_code(const std::string& name) {
  file::KernelSpec spec;
  spec.axes = {{.name = "TILE", .help = "", .default_value = std::int64_t{1}}};
  spec.launches = {{.file = "k.cu", .kernel = "k<TILE>", .grid = {"1"}, .block = {"1"}}};
  for (const auto* axis : {"TILE", "variant"}) {
    Params params;
    params.set("variant", std::string("k.cu"));
    params.set("TILE", std::int64_t{4});
    params.set(axis, name);
    try {
      const file::KernelFamily family(spec);
      for (const auto& launch : family.shapes().launches(params)) {
        // A variant that names a file takes the place of the file.
        std::string all = launch.kernel;
        for (const auto& define : launch.defines) all += define;
        if (!launch.file.ends_with(".cu")) continue;
        expect(all.find_first_of("\n\r\\\"'#;{}") == std::string::npos,
               "more than an expression: " + all);
      }
    } catch (const std::runtime_error& error) {
      check_shown(text::printable(error.what()), name);
    }
  }
}

}  // namespace

void try_words(const std::string& input) {
  auto parts = parts_of(input);
  parts.resize(4);
  try_script(parts);
  const auto line = text::shell_line({"x", parts[2]});
  check_shown(line, input);
  if (line.find('$') == std::string::npos) {  // a shell has more ways to write a word than we read
    const auto words = text::shell_words(line);
    expect(words && words->size() == 2 && (*words)[1] == parts[2], "another word: " + line);
  }
  try_code(parts[3]);
}

}  // namespace apod::fuzz
