#include <cstring>
#include <exception>

#include "benchmarks/base/os/process.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/run/worker.hpp"
#include "kernels/api/registry.hpp"

int main(int argc, char** argv) {
  using namespace apod;
  if (const auto problem = os::prepare_process(); !problem.empty()) return cli::fail(problem);
  if (argc == 2 && std::strcmp(argv[1], run::worker_argument) == 0) {
    try {
      return run::serve(Registry::instance());
    } catch (const std::exception& error) {
      return cli::fail(error.what());
    }
  }
  const auto& command = cli::find_command(argc > 1 ? argv[1] : "");
  const int own_words = *command.name == '\0' ? 1 : 2;
  return cli::run_in_frame(command, {argv, argv + argc}, own_words);
}
