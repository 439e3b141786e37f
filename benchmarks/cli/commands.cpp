#include "benchmarks/cli/commands.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "benchmarks/base/text/plain.hpp"

namespace apod::cli {

const std::vector<CommandEntry>& commands() {
  static const std::vector<CommandEntry> all{
      {"try", "measure", "Times a kernel in a .cu file; bench reads the arguments from the code.",
       make_try},
      {"time", "measure",
       "Times any program, without an experiment file, for several values of its arguments.",
       make_time},
      {"new", "measure", "Writes starter files: a kernel with its reference and its experiment.",
       make_new},
      {"tune", "measure", "Finds the best configuration in a space that is too large to sweep.",
       make_tune},
      {"ceilings", "measure",
       "Measures the highest rates of this device; runs then show their share of these rates.",
       make_ceilings},
      {"capture", "measure",
       "Saves a kernel launch of another program, with code and memory, as a benchmark.",
       make_capture},
      {"compare", "judge",
       "Compares two results, builds or axis values: which is slower, by how much, and why.",
       make_compare},
      {"bisect", "judge", "Finds the commit that made a case slower, in a git repository.",
       make_bisect},
      {"calibrate", "judge",
       "Measures this build against itself: the smallest change that a comparison can show.",
       make_calibrate},
      {"history", "judge", "Shows the times of cases over many results, and where a time changed.",
       make_history},
      {"show", "look", "Prints saved results, as the run printed them or in another format.",
       make_show},
      {"report", "look", "Writes an HTML page with figures of results.", make_report},
      {"plot", "look", "Draws one figure of a result.", make_plot},
      {"inspect", "look", "Shows what another program does on a GPU, and why it is slow.",
       make_inspect},
      {"export", "look", "Writes results in the formats of other programs.", make_export},
      {"sass", "look",
       "Lists the instructions of a program's kernels, without running the program.", make_sass},
      {"merge", "many machines", "Merges the separately measured parts of a study into one result.",
       make_merge},
      {"submit", "many machines", "Measures a study on many nodes, as a Slurm array of shards.",
       make_submit},
      {"status", "many machines", "Shows how many measurements each shard of a study has finished.",
       make_status},
      {"completion", "other",
       "Prints a script that lets bash, zsh or fish complete commands and flags.", make_completion},
      {"man", "other", "Prints the manual page.", make_man},
      {"schema", "other", "Prints the JSON Schema of experiment files, for editors.", make_schema},
  };
  return all;
}

const CommandEntry& find_command(const std::string& name) {
  static const CommandEntry bench{
      "", "",
      "Runs GPU experiments written in YAML: verifies results, measures times and explains them.",
      make_run};
  for (const auto& command : commands()) {
    if (name == command.name) return command;
  }
  return bench;
}

namespace {

/// The command line of a program, by path: "./app 4", or "./my app" of a file of that name. Empty
/// where the word is none.
std::string program_line(const std::string& word) {
  const auto is_program = [](const std::string& file) {
    std::error_code error;
    return file.find('/') != std::string::npos && std::filesystem::is_regular_file(file, error) &&
           ::access(file.c_str(), X_OK) == 0;
  };
  if (is_program(word)) return text::shell_line({word});
  const auto words = text::shell_words(word);
  return words && !words->empty() && is_program(words->front()) ? word : "";
}

}  // namespace

std::string closest_command(const std::string& word) {
  std::vector<std::string> names;
  for (const auto& command : commands()) names.emplace_back(command.name);
  return text::closest(word, names);
}

std::vector<std::string> spelled_out(std::vector<std::string> line) {
  if (line.size() < 2 || line[1].starts_with('-')) return line;
  const auto named = [&](std::initializer_list<const char*> extensions) {
    return std::ranges::any_of(extensions,
                               [&](const char* extension) { return line[1].ends_with(extension); });
  };
  const char* word = named({".yaml", ".yml"})           ? "--config"
                     : named({".cu", ".ptx", ".cubin"}) ? "try"
                     : named({".json"})                 ? "show"
                                                        : nullptr;
  if (word != nullptr) {
    line.insert(line.begin() + 1, word);
    return line;
  }
  if (line.size() < 3 || *find_command(line[1]).name != '\0' || line[2].starts_with('-'))
    return line;
  auto base = program_line(line[1]);
  auto changed = program_line(line[2]);
  // Where only one is a program, the comparison says what is wrong with the other, unless the first
  // may be a command that is misspelt.
  if (base.empty() && (changed.empty() || !closest_command(line[1]).empty())) return line;
  if (base.empty()) base = line[1];
  if (changed.empty()) changed = line[2];
  // Builds of this program run an experiment.
  const bool are_builds = std::any_of(line.begin() + 3, line.end(), [](const auto& more) {
    return more == "-c" || more.starts_with("--config");
  });
  const std::string kind = are_builds ? "-bin" : "-cmd";
  std::vector<std::string> whole{line[0], "compare"};
  whole.insert(whole.end(), {"--base" + kind, are_builds ? line[1] : base});
  whole.insert(whole.end(), {"--new" + kind, are_builds ? line[2] : changed});
  whole.insert(whole.end(), line.begin() + 3, line.end());
  return whole;
}

}  // namespace apod::cli
