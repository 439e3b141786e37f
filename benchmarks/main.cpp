#include <cstring>
#include <exception>
#include <iostream>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/subcommands.hpp"
#include "benchmarks/run/worker.hpp"

int main(int argc, char** argv) {
  using namespace apod;
  try {
    const auto& registry = Registry::instance();
    if (argc == 2 && std::strcmp(argv[1], run::worker_argument) == 0) return run::serve(registry);
    if (argc > 1) {
      if (const auto* command = cli::find_subcommand(argv[1])) {
        return command->run({argv + 2, argv + argc});
      }
    }
    const auto [options, exit_code] = cli::parse(argc, argv);
    if (!options) return exit_code;
    return options->list ? cli::list_command(registry) : cli::run_command(*options, registry);
  } catch (const std::exception& error) {
    std::cerr << "bench: internal error: " << error.what() << '\n';
    return cli::ExitCode::failure;
  }
}
