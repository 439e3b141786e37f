#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <random>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/ceiling_files.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/listing.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/planning.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/run_on_each.hpp"
#include "benchmarks/cli/session_progress.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/cli/trust.hpp"
#include "benchmarks/files/small_file.hpp"
#include "benchmarks/look/measured_ceilings.hpp"
#include "benchmarks/run/session.hpp"
#include "benchmarks/show/report.hpp"
#include "benchmarks/show/run_result.hpp"

namespace apod::cli {
namespace {

bool measures_ceilings(const Plan& plan) {
  const auto& known = look::ceiling_workloads;
  return std::ranges::any_of(plan.experiments, [&](const auto& experiment) {
    return std::ranges::find(known, experiment.workload) != known.end();
  });
}

/// The ceilings that the file at `path` has and these lack: it would lose them.
std::vector<std::string> would_be_lost(const std::string& path, const Ceilings& ceilings) {
  try {
    return measured_only_in(files::read_ceilings(path), ceilings);
  } catch (const std::runtime_error&) {
    return {};  // there is none, or none that could be read later
  }
}

/// What was not measured, and why, where that is known.
void say_missing(const Result& result, const std::vector<std::string>& missing, bool quiet) {
  for (const auto& measurement : result.measurements) {
    // Beside progress it was said at once.
    if (quiet && !measurement.failed.empty()) say(measurement.case_id + ": " + measurement.failed);
  }
  for (const auto& name : missing) say("not measured: " + name);
}

class CeilingsCommand : public Command {
 public:
  CeilingsCommand() { options_.config = "ceilings"; }
  HelpText help() const override {
    return {
        R"(The rates of memory, arithmetic, tensor cores, the host link and launches; with several GPUs (--device all)
those of the first GPU, and of each link. Later runs need the same device, driver, CUDA and power limit.

bench does not replace a file that has ceilings which this run does not measure.

Exit codes: 0 good; 1 usage or I/O error, or a ceiling could not be measured (bench writes the others);
            4 no ceiling was measured; 130 interrupted.)"};
  }
  void declare(Flags& flags) override {
    flags.file("-c,--config", options_.config,
               "Experiment file that measures the ceilings (default ceilings)");
    flags.set(options_.set);
    flags.processes(options_.processes);
    flags.backend(options_.backend);
    flags.devices(options_.devices);
    flags.file("-o,--out", out_, "File to write");
    flags.flag("--dry-run", options_.dry_run, "Show the plan and its time; run nothing");
    flags.quiet(options_.quiet);
  }
  Files files() const override {
    if (out_.empty()) return {};
    return {{find_config(options_.config)},
            {{"--out", out_, named_as(".json", "(later runs read it)")}}};
  }
  int run() override;

 private:
  Result measure(Plan plan, int device) const {
    run::SessionOptions session;
    session.order_seed = std::random_device{}();
    session.device = device;
    session.in_process = runs_in_process(options_);
    watch_signals();
    return run_with_progress(std::move(plan), Registry::instance(), session, options_.quiet);
  }
  /// Whether all pairs were asked; else it was interrupted.
  bool measure_links(std::vector<Link>& links) const;
  int write(const Result& result, std::vector<Link> links) const;

  Options options_;
  std::string out_;
};

int CeilingsCommand::run() {
  const auto& registry = Registry::instance();
  choose_gpus(options_, registry);
  std::vector<std::string> problems;
  const auto machine = look_at_machine(options_, registry);
  auto plan = make_plan(options_, registry, machine, problems);
  if (!problems.empty()) return refuse(problems);
  if (const auto code = code_of_file(*plan); !code.empty()) {
    return fail(find_config(options_.config) + " measures " + code + ", but no ceiling",
                ExitCode::nothing_to_judge);
  }
  if (!measures_ceilings(*plan)) {
    return fail(fmt::format("{}: no experiment measures a ceiling; nothing was run (workloads that "
                            "measure ceilings: {})",
                            find_config(options_.config), fmt::join(look::ceiling_workloads, ", ")),
                ExitCode::nothing_to_judge);
  }
  if (options_.dry_run) {
    const auto runs = print_plan(*plan, registry, console_style(ColorChoice::automatic));
    return runs > 0 ? ExitCode::success : ExitCode::nothing_to_judge;
  }
  if (!options_.quiet) {
    say("measuring the ceilings of " + std::string(machine.cuda ? "the GPU" : "this processor") +
        "; this takes about " + run_time_text(*plan, registry) +
        (machine.cuda ? "" : text::in_brackets("no GPU: " + machine.cuda_missing)));
  }
  // The name of the default is known only afterwards, its folder at once.
  if (out_.empty()) make_place_for(ceilings_path({}));
  const auto result = measure(std::move(*plan), options_.device.value_or(0));
  std::vector<Link> links;
  if (result.interrupted || !measure_links(links))
    return fail("interrupted; nothing was written: to measure the ceilings, start again",
                ExitCode::interrupted);
  return write(result, std::move(links));
}

bool CeilingsCommand::measure_links(std::vector<Link>& links) const {
  const auto& registry = Registry::instance();
  if (options_.gpus.size() < 2) return true;
  std::string why;
  const auto devices = registry.backend(BackendKind::cuda)->devices(why);
  const auto known = [&](int gpu) { return gpu < static_cast<int>(devices.size()); };
  if (!std::ranges::all_of(options_.gpus, known))
    throw std::runtime_error("a GPU is no longer visible: " + why);
  for (const int gpu : options_.gpus) {
    std::vector<int> others = options_.gpus;
    std::erase(others, gpu);
    Options options = options_;
    options.config = "links";
    options.device = gpu;
    options.set = {fmt::format("peer={}", fmt::join(others, ","))};
    std::vector<std::string> problems;
    auto plan = make_plan(options, registry, look_at_machine(options, registry), problems);
    if (!problems.empty()) throw std::runtime_error(problems.front());
    const auto result = measure(std::move(*plan), gpu);
    if (result.interrupted) return false;
    std::vector<std::string> missing;
    for (auto& link : look::measured_links(result, summarize(result), devices, missing))
      links.push_back(std::move(link));
    say_missing(result, missing, options_.quiet);
  }
  return true;
}

int CeilingsCommand::write(const Result& result, std::vector<Link> links) const {
  std::vector<std::string> missing;
  const auto summaries = summarize(result);
  auto ceilings = look::measured_ceilings(result, summaries, missing);
  ceilings.links = std::move(links);
  // A busy machine, say, has low ceilings.
  for (const auto& note : show::notes_of(result, summaries))
    say(fmt::format("note: {}, in {} of {} cases", note.text, note.count, summaries.size()));
  if (measured_only_in(ceilings, {}).empty())
    return fail("no ceiling was measured; nothing was written", ExitCode::nothing_to_judge);
  const auto path = out_.empty() ? ceilings_path(result.environment.device) : out_;
  const auto lost = would_be_lost(path, ceilings);
  if (!lost.empty()) {
    return fail(
        fmt::format("{}: the file has ceilings that this run did not measure: {}; nothing was "
                    "written (name another file with --out)",
                    path, fmt::join(lost, ", ")));
  }
  write_output(out_.empty() ? os::Destination::derived(path) : os::Destination::named(path),
               files::FileKind::ceilings,
               [&](std::ostream& out) { files::write_ceilings(out, ceilings); });
  show::write(std::cout, show::report_of(ceilings), show::Format::console,
              console_style(ColorChoice::automatic));
  std::cout << "Wrote " << text::printable(path) << '\n';
  say_missing(result, missing, options_.quiet);
  return missing.empty() ? ExitCode::success : ExitCode::failure;
}

}  // namespace

std::unique_ptr<Command> make_ceilings() {
  return std::make_unique<CeilingsCommand>();
}

}  // namespace apod::cli
