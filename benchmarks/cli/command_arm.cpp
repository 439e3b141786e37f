#include "benchmarks/cli/command_arm.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/plan/config/load.hpp"

namespace apod::cli {

void declare_read(Flags& flags, std::optional<Reads>& reads) {
  flags.choice("--read", reads,
               {{"process", Reads::process},
                {"google", Reads::google},
                {"nvbench", Reads::nvbench},
                {"nccl-tests", Reads::nccl_tests},
                {"nvbandwidth", Reads::nvbandwidth}},
               "What to read from these: the time of the process (default), or their benchmarks "
               "(google: each runs for 0.1 s, unless the command has --benchmark_min_time)");
}

std::vector<std::string> command_words(const std::string& flag, const std::string& line) {
  auto words = text::shell_words(line);
  if (!words) throw UsageError(flag + ": '" + line + "' leaves a quote open");
  if (words->empty() || words->front().empty()) {
    throw UsageError(flag + ": '" + line + "' names no program");
  }
  return std::move(*words);
}

run::Arm arm_of_command(std::vector<std::string> words, Reads reads, const std::string& folder,
                        const std::string& file) {
  // A process is one sample, however long each of its benchmarks runs: short ones give more
  // processes in the same time.
  constexpr const char* min_time = "--benchmark_min_time=";
  const auto sets_time = [&](const std::string& word) { return word.starts_with(min_time); };
  if (reads == Reads::google && std::none_of(words.begin(), words.end(), sets_time)) {
    words.push_back(min_time + std::string("0.1"));
  }
  const std::string name(to_string(reads));
  std::ofstream(file) << config::command_file(name, words, folder, reads);
  return {text::shell_line(words), own_program(), {"--config", file, "--trust"}, ""};
}

}  // namespace apod::cli
