#include "benchmarks/cli/subcommands.hpp"

#include "benchmarks/cli/calibrate_command.hpp"
#include "benchmarks/cli/ceilings.hpp"
#include "benchmarks/cli/compare_options.hpp"
#include "benchmarks/cli/export_command.hpp"
#include "benchmarks/cli/history_command.hpp"
#include "benchmarks/cli/inspect_command.hpp"
#include "benchmarks/cli/sass_command.hpp"
#include "benchmarks/cli/show_command.hpp"

namespace apod::cli {
namespace {

int run_compare(const std::vector<std::string>& arguments) {
  const auto [request, exit_code] = parse_compare(arguments);
  return request ? compare_command(*request) : exit_code;
}

}  // namespace

const std::vector<Subcommand>& subcommands() {
  static const std::vector<Subcommand> all{
      {"show", "saved results as their runs printed them, in any format", show_command},
      {"compare", "two results, two builds or two values of an axis: slower, by how much, why",
       run_compare},
      {"calibrate", "this build against itself: which changes can be seen at all",
       calibrate_command},
      {"ceilings", "what this device reaches at best, so that runs can say how close they come",
       ceilings_command},
      {"history", "the trend of cases over result files, with the runs in which it changed",
       history_command},
      {"inspect", "what another program did on a GPU, from a report of Nsight Systems",
       inspect_command},
      {"export", "results in the formats of other programs", export_command},
      {"sass", "what the kernels of a program are made of, without running it", sass_command},
  };
  return all;
}

const Subcommand* find_subcommand(const std::string& name) {
  for (const auto& command : subcommands()) {
    if (name == command.name) return &command;
  }
  return nullptr;
}

}  // namespace apod::cli
