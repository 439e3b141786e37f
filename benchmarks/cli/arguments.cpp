#include "benchmarks/cli/arguments.hpp"

namespace apod::cli {
namespace {

/// Of the options of `app` and of its groups.
void refuse_empty_names(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_type_name() != "FILE") continue;
    for (const auto& name : option->results()) {
      if (name.empty()) throw CLI::ValidationError(option->get_name(), "'' names no file");
    }
  }
  const auto all = [](const CLI::App*) { return true; };
  for (const CLI::App* group : app.get_subcommands(all)) refuse_empty_names(*group);
}

}  // namespace

void parse_arguments(CLI::App& app, const std::vector<std::string>& arguments) {
  // CLI11 takes a vector from its back.
  app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  refuse_empty_names(app);
}

}  // namespace apod::cli
