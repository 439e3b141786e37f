#include "benchmarks/cli/planning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/trust.hpp"
#include "benchmarks/look/trace/ranges.hpp"
#include "benchmarks/plan/config/load.hpp"
#include "benchmarks/plan/expand.hpp"
#include "benchmarks/run/environment.hpp"

namespace apod::cli {
namespace {

/// The ids that --only names, a line each.
std::vector<std::string> read_ids(const std::string& path, std::vector<std::string>& problems) {
  constexpr std::size_t most_bytes = 64 << 20;
  std::vector<std::string> ids;
  try {
    std::istringstream lines(os::read_file(path, most_bytes));
    constexpr std::size_t longest_id = 1 << 16;
    for (std::string line; os::next_line(lines, line, longest_id);) {
      const auto begin = line.find_first_not_of(" \t\r");
      if (begin == std::string::npos) continue;
      ids.push_back(line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin));
    }
    if (ids.empty()) throw std::runtime_error("contains no case id");
  } catch (const std::runtime_error& error) {
    problems.push_back("bench: --only " + path + ": " + error.what());
  }
  return ids;
}

/// The same problem by the line of the experiment that a command printed: its file is temporary.
Diagnostic in_print(const Diagnostic& problem) {
  std::ifstream text(problem.file);
  std::string line;
  for (int i = 0; i < problem.place.line; ++i) std::getline(text, line);
  line.erase(0, line.find_first_not_of(" -"));
  return {"in the experiment, " + text::printable(line), {}, problem.message, problem.hint};
}

/// Reports a key that is set twice: bench can't know which value is meant.
void check_set_once(const std::vector<std::string>& settings, std::vector<std::string>& problems) {
  std::map<std::string, std::string> first;
  for (const auto& setting : settings) {
    const auto [before, added] = first.emplace(setting.substr(0, setting.find('=')), setting);
    if (added) continue;
    problems.push_back(
        to_string({"--set",
                   {},
                   setting + ": " + before->second + " was set before",
                   "keep one of them; for several values of an axis, write streams=1,8"}));
  }
}

Machine find_devices(const Options& options, const Registry& registry) {
  Machine machine;
  machine.device = "host " + run::cpu_model();
  if (options.backend == BackendChoice::host) {
    machine.cuda_missing = "--backend host was given";
    return machine;
  }
  const auto* entry = registry.backend(BackendKind::cuda);
  if (entry == nullptr) {
    machine.cuda_missing = plan::cuda_not_built;
    return machine;
  }
  const auto devices = entry->devices(machine.cuda_missing);
  const auto index = static_cast<std::size_t>(options.device.value_or(0));
  if (index < devices.size()) {
    machine.cuda = true;
    machine.preferred = BackendKind::cuda;
    machine.device_memory = devices[index].memory_bytes;
    machine.compute_capability = devices[index].compute_capability;
    machine.device = devices[index].uuid;
  } else if (!devices.empty()) {
    machine.cuda_missing = fmt::format("this machine has {} CUDA device{}", devices.size(),
                                       devices.size() == 1 ? " (index 0)" : "s");
  }
  return machine;
}

}  // namespace

Machine look_at_machine(const Options& options, const Registry& registry) {
  auto machine = find_devices(options, registry);
  if (machine.cuda) return machine;
  if (options.device.value_or(0) > 0)
    throw std::runtime_error(fmt::format("--device {}: {}", *options.device, machine.cuda_missing));
  if (options.backend == BackendChoice::cuda)
    throw std::runtime_error("--backend cuda: " + machine.cuda_missing);
  // A gate whose driver died must not turn green on the host.
  const auto* entry = registry.backend(BackendKind::cuda);
  const bool may_be_host = options.backend == BackendChoice::host || entry == nullptr;
  const auto sign = may_be_host || !entry->sign ? "" : entry->sign();
  if (!sign.empty()) {
    throw std::runtime_error(
        fmt::format("this machine has an NVIDIA GPU or driver ({}), but it can't be used: {} (to "
                    "measure the host: --backend host)",
                    sign, machine.cuda_missing));
  }
  return machine;
}

bool runs_in_process(const Options& options) {
  return options.in_process || options.profile || trace::profiler_attached();
}

config::LoadOutcome load_experiments(const Options& options, const Registry& registry,
                                     const Machine& machine, std::vector<std::string>& problems) {
  check_set_once(options.set, problems);
  auto overrides = options.set;
  if (options.explain || !options.trace_out.empty()) overrides.emplace_back("trace=true");
  if (options.counters) overrides.emplace_back("counters=true");
  if (options.processes) overrides.push_back(fmt::format("processes={}", *options.processes));
  const bool is_made = !options.printed_as.empty();
  return config::load_file(find_config(options.config), registry,
                           {.backend = machine.preferred,
                            .overrides = std::move(overrides),
                            .having = options.having,
                            .searched = config_folders(),
                            .trusted = is_trusted(options),
                            .folder = is_made ? std::optional<std::string>(".") : std::nullopt});
}

plan::ExpandOptions expand_options(const Machine& machine) {
  return {.cuda_available = machine.cuda,
          .cuda_missing_reason = machine.cuda_missing,
          .compute_capability = machine.compute_capability,
          .device_memory_bytes = machine.device_memory,
          .host_memory_bytes = run::host_memory_bytes()};
}

std::optional<Plan> make_plan(const Options& options, const Registry& registry,
                              const Machine& machine, std::vector<std::string>& problems) {
  auto wanted = expand_options(machine);
  if (!options.only.empty()) wanted.only = read_ids(options.only, problems);
  wanted.only_file = options.only;
  wanted.filter = options.filter;
  const auto loaded = load_experiments(options, registry, machine, problems);
  Diagnostics diagnostics = loaded.diagnostics;
  if (loaded.config) {
    auto expanded = plan::expand(*loaded.config, registry, wanted, loaded.diagnostics);
    if (expanded.plan) {
      for (const auto& note : expanded.notes) say(note);
      for (auto& experiment : expanded.plan->experiments) {
        auto& measure = experiment.measure;
        if (options.timeout_s) measure.timeout_s = *options.timeout_s;
        if (runs_in_process(options)) measure.processes = measure.max_processes = 1;
      }
      return std::move(expanded.plan);
    }
    diagnostics = std::move(expanded.diagnostics);
  }
  for (const auto& one : diagnostics) {
    const bool is_printed = !options.printed_as.empty() && one.file == options.config;
    problems.push_back(to_string(is_printed ? in_print(one) : one));
  }
  return std::nullopt;
}

int refuse(const std::vector<std::string>& problems) {
  constexpr std::size_t most_said = 100;
  for (std::size_t i = 0; i < std::min(problems.size(), most_said); ++i) say_problem(problems[i]);
  if (problems.size() > most_said) say_problem("...");
  return fail(text::counted(problems.size(), "problem") + "; nothing was run");
}

}  // namespace apod::cli
