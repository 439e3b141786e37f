#include "benchmarks/cli/commands.hpp"

#include <algorithm>
#include <initializer_list>

namespace apod::cli {

const std::vector<CommandEntry>& commands() {
  static const std::vector<CommandEntry> all{
      {"try", "measure",
       "a kernel of a .cu file, timed at once: its arguments are read from its code", make_try},
      {"new", "measure", "files to begin with: a kernel with its reference and its experiment",
       make_new},
      {"tune", "measure", "the best configuration of a space that is too large to sweep",
       make_tune},
      {"ceilings", "measure",
       "what this device reaches at best, so that runs can say how close they come", make_ceilings},
      {"capture", "measure",
       "a launch of another program, with its code and memory, as a benchmark", make_capture},
      {"compare", "judge",
       "two results, two builds or two values of an axis: slower, by how much, why", make_compare},
      {"bisect", "judge", "the commit that made a case slower, found in a repository of git",
       make_bisect},
      {"calibrate", "judge", "this build against itself: which changes can be seen at all",
       make_calibrate},
      {"history", "judge", "the trend of cases over result files, and where it changed",
       make_history},
      {"show", "look", "saved results as their runs printed them, in any format", make_show},
      {"report", "look", "results as a page with figures, for a browser", make_report},
      {"plot", "look", "a figure of a result, for a paper", make_plot},
      {"inspect", "look", "what another program does on a GPU, and why it is slow", make_inspect},
      {"export", "look", "results in the formats of other programs", make_export},
      {"sass", "look", "the instructions of a program's kernels, without running it", make_sass},
      {"merge", "many machines",
       "one result from the parts of a study that were measured separately", make_merge},
      {"submit", "many machines", "a study on many nodes, as a Slurm array of shards", make_submit},
      {"status", "many machines", "how far the shards of a study are", make_status},
      {"completion", "other", "a script with which bash, zsh or fish complete commands and flags",
       make_completion},
      {"man", "other", "the manual page", make_man},
      {"schema", "other", "the JSON Schema of experiment files, for editors", make_schema},
  };
  return all;
}

const CommandEntry& find_command(const std::string& name) {
  static const CommandEntry bench{"", "", "", make_run};
  for (const auto& command : commands()) {
    if (name == command.name) return command;
  }
  return bench;
}

std::vector<std::string> spelled_out(std::vector<std::string> line) {
  if (line.size() < 2 || line[1].starts_with('-')) return line;
  const auto named = [&](std::initializer_list<const char*> extensions) {
    return std::any_of(extensions.begin(), extensions.end(),
                       [&](const char* extension) { return line[1].ends_with(extension); });
  };
  const char* word = named({".yaml", ".yml"})           ? "--config"
                     : named({".cu", ".ptx", ".cubin"}) ? "try"
                     : named({".json"})                 ? "show"
                                                        : nullptr;
  if (word != nullptr) line.insert(line.begin() + 1, word);
  return line;
}

}  // namespace apod::cli
