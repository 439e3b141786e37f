#include <iostream>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/plan/config/load.hpp"

namespace apod::cli {
namespace {

class SchemaCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Example:
  bench schema > experiment.schema.json

With this first line in an experiment file, VS Code's YAML extension completes keys, axes and variants:
  # yaml-language-server: $schema=experiment.schema.json)"};
  }
  int run() override {
    std::cout << config::experiment_schema(Registry::instance());
    return ExitCode::success;
  }
};

}  // namespace

std::unique_ptr<Command> make_schema() {
  return std::make_unique<SchemaCommand>();
}

}  // namespace apod::cli
