#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/subcommands.hpp"
#include "benchmarks/run/worker.hpp"

namespace {

using namespace apod;

int dispatch(int argc, char** argv) {
  const auto& registry = Registry::instance();
  if (argc == 2 && std::strcmp(argv[1], run::worker_argument) == 0) return run::serve(registry);
  if (argc > 1) {
    if (const auto* command = cli::find_subcommand(argv[1])) {
      return command->run({argv + 2, argv + argc});
    }
  }
  const auto [options, exit_code] = cli::parse(argc, argv);
  if (!options) return exit_code;
  cli::warn_of_strays(registry);
  return options->list ? cli::list_command(registry) : cli::run_command(*options, registry);
}

/// False where something that was printed is lost: a full disk, or nobody there to read.
bool all_was_printed() {
  return std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  int code = cli::ExitCode::success;
  try {
    code = dispatch(argc, argv);
    if (code != cli::ExitCode::success || all_was_printed()) return code;
  } catch (const std::exception& error) {
    if (all_was_printed()) {
      std::cerr << "bench: internal error: " << error.what() << '\n';
      return cli::ExitCode::failure;
    }
  }
  std::cerr << "bench: standard output could not be written\n";
  return cli::ExitCode::failure;
}
