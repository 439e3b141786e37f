#include "benchmarks/cli/commands.hpp"

namespace apod::cli {

const std::vector<CommandEntry>& commands() {
  static const std::vector<CommandEntry> all{
      {"try", "a kernel of a .cu file, timed at once: its arguments are read from its code",
       make_try},
      {"new", "files to begin with: a kernel with its reference and its experiment", make_new},
      {"show", "saved results as their runs printed them, in any format", make_show},
      {"report", "results as a page with figures, for a browser", make_report},
      {"plot", "a figure of a result, for a paper", make_plot},
      {"compare", "two results, two builds or two values of an axis: slower, by how much, why",
       make_compare},
      {"bisect", "the commit that made a case slower, found in a repository of git", make_bisect},
      {"tune", "the best configuration of a space that is too large to sweep", make_tune},
      {"calibrate", "this build against itself: which changes can be seen at all", make_calibrate},
      {"ceilings", "what this device reaches at best, so that runs can say how close they come",
       make_ceilings},
      {"history", "the trend of cases over result files, and where it changed", make_history},
      {"merge", "one result from the parts of a study that were measured separately", make_merge},
      {"submit", "a study on many nodes, as a Slurm array of shards", make_submit},
      {"status", "how far the shards of a study are", make_status},
      {"inspect", "what another program does on a GPU, and why it is slow", make_inspect},
      {"capture", "a launch of another program, with its code and memory, as a benchmark",
       make_capture},
      {"export", "results in the formats of other programs", make_export},
      {"sass", "the instructions of a program's kernels, without running it", make_sass},
      {"completion", "a script with which bash, zsh or fish complete commands and flags",
       make_completion},
      {"man", "the manual page", make_man},
      {"schema", "the JSON Schema of experiment files, for editors", make_schema},
  };
  return all;
}

const CommandEntry& find_command(const std::string& name) {
  static const CommandEntry bench{"", "", make_run};
  for (const auto& command : commands()) {
    if (name == command.name) return command;
  }
  return bench;
}

}  // namespace apod::cli
