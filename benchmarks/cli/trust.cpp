#include "benchmarks/cli/trust.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "benchmarks/base/os/trusted.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/flags.hpp"
#include "benchmarks/cli/listing.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/planning.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/plan/config/load.hpp"

namespace apod::cli {
namespace {

Options options_of(const std::string& config, const std::vector<std::string>& arguments) {
  Options options;
  options.config = config;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& flag = arguments[i];
    options.trust = options.trust || flag == "--trust";
    if (flag == "--trust" || i + 1 == arguments.size()) continue;
    const auto& value = arguments[++i];
    if (flag == "--set") options.set.push_back(value);
    if (flag == "--backend") options.backend = choose(flag, value, backend_choices);
    if (flag == "--device") options.device = parse_count(flag, value, 0, 1 << 20);
  }
  return options;
}

/// Whether the file brings code, without a look at the machine.
bool brings_code(const Options& options, const Registry& registry) {
  const auto loaded = config::load_file(
      find_config(options.config), registry,
      {.backend = BackendKind::host, .overrides = options.set, .searched = config_folders()});
  return loaded.config &&
         std::ranges::any_of(loaded.config->experiments, [](const auto& experiment) {
           return experiment.command || experiment.kernel;
         });
}

}  // namespace

std::string code_of_file(const Plan& plan) {
  const auto any = [&](auto member) {
    return std::ranges::any_of(
        plan.experiments, [&](const auto& experiment) { return (experiment.*member).has_value(); });
  };
  const bool commands = any(&Experiment::command);
  const bool kernels = any(&Experiment::kernel);
  return commands && kernels ? "commands and kernels"
         : commands          ? "commands"
         : kernels           ? "kernels"
                             : "";
}

namespace {

/// Why trust does not reach the experiment file: it was found by its name alone, where others could
/// have put it. Empty if it does.
std::string why_not_meant(const std::string& config) {
  const auto found = find_config(config);
  return found == config ? "" : os::why_untrusted(found);
}

}  // namespace

bool trusts(const Options& options) {
  const char* always = std::getenv("APOD_TRUST");
  return options.trust || (always != nullptr && std::string_view(always) == "1");
}

bool is_trusted(const Options& options) {
  return trusts(options) && why_not_meant(options.config).empty();
}

int refuse_code(const std::string& config, const std::string& code) {
  const auto why = why_not_meant(config);
  return fail(
      config + " runs " + code + " with your permissions: read the " + code + ", then " +
          (why.empty() ? "add --trust (or set APOD_TRUST=1)"
                       : "add --trust and name the file by its path, " + find_config(config) +
                             ": its name alone is not enough, because " + why),
      ExitCode::nothing_to_judge);
}

std::optional<int> refuse_untrusted(const Options& options, const Plan& plan) {
  const auto code = code_of_file(plan);
  if (code.empty() || is_trusted(options)) return std::nullopt;
  print_plan(plan, Registry::instance(), console_style(options.color));
  return refuse_code(options.config, code);
}

std::optional<int> refuse_untrusted(const std::string& config,
                                    const std::vector<std::string>& arguments) {
  const auto options = options_of(config, arguments);
  const auto& registry = Registry::instance();
  if (is_trusted(options) || !brings_code(options, registry)) return std::nullopt;
  std::vector<std::string> problems;
  const auto plan = make_plan(options, registry, look_at_machine(options, registry), problems);
  if (!plan || !problems.empty()) return std::nullopt;
  return refuse_untrusted(options, *plan);
}

}  // namespace apod::cli
