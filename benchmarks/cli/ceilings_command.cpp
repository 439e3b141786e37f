#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <random>

#include "benchmarks/cli/arguments.hpp"
#include "benchmarks/cli/ceilings.hpp"
#include "benchmarks/cli/choice.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/planning.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/inspect/measured_ceilings.hpp"
#include "benchmarks/os/atomic_file.hpp"
#include "benchmarks/report/case_table.hpp"
#include "benchmarks/report/ceilings.hpp"
#include "benchmarks/run/session.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* ceilings_prefix = "bench ceilings: ";
constexpr const char* ceilings_footer =
    R"(Measures what the device reaches at best: memory, arithmetic, tensor cores, the host link, launches.
Later runs on the same device, driver, CUDA and power limit find the file and say how close they come.

A file that has ceilings which this run does not measure is left as it is.

Exit codes: 0 good; 1 usage or I/O error, or a ceiling could not be measured (the others are written);
            4 no ceiling was measured; 130 interrupted.)";

struct CeilingsRequest {
  Options run;
  std::string out;
};

void declare(CLI::App& app, CeilingsRequest& request) {
  app.add_option("-c,--config", request.run.config,
                 "Experiment file with the same workloads (default ceilings)")
      ->type_name("FILE");
  app.add_option("--set", request.run.set, "As for a run")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->expected(1);
  app.add_option("--processes", request.run.processes, "Fresh processes that measure every case")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N");
  add_choice<BackendChoice>(app, "--backend", request.run.backend,
                            {{"auto", BackendChoice::automatic},
                             {"host", BackendChoice::host},
                             {"cuda", BackendChoice::cuda}},
                            "As for a run");
  app.add_option("--device", request.run.device, "Index of the GPU")
      ->check(CLI::Range(0, 1023).description(""))
      ->type_name("N");
  app.add_option("-o,--out", request.out, "File to write")->type_name("FILE");
  app.add_flag("-q,--quiet", request.run.quiet, "No progress");
}

Result measure(const CeilingsRequest& request, Plan plan) {
  run::SessionOptions session;
  session.order_seed = std::random_device{}();
  session.device = request.run.device;
  session.in_process = runs_in_process(request.run);
  run::SessionListener listener;
  listener.cancelled = stop_asked;
  listener.message = [](const std::string& text) { std::cerr << ceilings_prefix << text << '\n'; };
  listener.finished = [&](const Case& c, const Measurement& measurement) {
    if (!measurement.failed.empty()) {
      std::cerr << ceilings_prefix << c.id << ": " << measurement.failed << '\n';
    } else if (!request.run.quiet) {
      std::cerr << ceilings_prefix << c.id << '\n';
    }
  };
  return run::run_session(std::move(plan), Registry::instance(), session, listener);
}

bool measures_ceilings(const Plan& plan) {
  const auto& known = inspect::ceiling_workloads;
  return std::any_of(plan.experiments.begin(), plan.experiments.end(), [&](const auto& experiment) {
    return std::find(known.begin(), known.end(), experiment.workload) != known.end();
  });
}

/// The ceilings that the file at `path` has and these lack: it would lose them.
std::vector<std::string> would_be_lost(const std::string& path, const Ceilings& ceilings) {
  try {
    return report::measured_only_in(report::read_ceilings(path), ceilings);
  } catch (const std::runtime_error&) {
    return {};  // there is none, or none that could be read later
  }
}

/// Creates the folder of the default path, and finds out now whether the file can be written.
void check_place(const std::string& path, bool own_name) {
  const auto parent = fs::path(path).parent_path();
  if (own_name && !parent.empty()) fs::create_directories(parent);
  os::check_writable(path, 1 << 16);
}

int run(const CeilingsRequest& request) {
  const auto& registry = Registry::instance();
  const auto machine = look_at_machine(request.run, registry);
  if (!machine.cuda && (request.run.backend == BackendChoice::cuda || request.run.device > 0)) {
    throw std::runtime_error(machine.cuda_missing);
  }
  std::vector<std::string> problems;
  auto plan = make_plan(request.run, registry, machine, problems);
  if (!problems.empty()) return refuse(problems);
  if (!measures_ceilings(*plan)) {
    std::cerr << ceilings_prefix << find_config(request.run.config)
              << ": no experiment measures a ceiling; these workloads do: "
              << fmt::format("{}", fmt::join(inspect::ceiling_workloads, ", "))
              << "; nothing was run\n";
    return ExitCode::nothing_to_judge;
  }
  if (!request.out.empty()) {
    const Output output{"--out", request.out};
    keep_inputs({output}, {find_config(request.run.config)});
    check_extension(output, ".json", "(later runs read it)");
  }
  // The name of the default is known only afterwards, its folder at once.
  check_place(request.out.empty() ? ceilings_path({}) : request.out, request.out.empty());
  watch_signals();
  const auto result = measure(request, std::move(*plan));
  if (result.interrupted) {
    std::cerr << ceilings_prefix << "interrupted; nothing was written\n";
    return ExitCode::interrupted;
  }
  std::vector<std::string> missing;
  const auto summaries = summarize(result);
  const auto ceilings = inspect::measured_ceilings(result, summaries, missing);
  // A busy machine, say, has low ceilings.
  for (const auto& note : report::digest(result, summaries).notes) {
    std::cerr << fmt::format("{}note: {}, in {} of {} cases\n", ceilings_prefix, note.text,
                             note.count, summaries.size());
  }
  if (report::measured_only_in(ceilings, {}).empty()) {
    std::cerr << ceilings_prefix << "no ceiling was measured; nothing was written\n";
    return ExitCode::nothing_to_judge;
  }
  const auto path = request.out.empty() ? ceilings_path(result.environment.device) : request.out;
  const auto lost = would_be_lost(path, ceilings);
  if (!lost.empty()) {
    std::cerr << ceilings_prefix << path << ": has ceilings that were not measured now: "
              << fmt::format("{}", fmt::join(lost, ", "))
              << "; nothing was written (--out names another file)\n";
    return ExitCode::failure;
  }
  os::write_atomically(path, [&](std::ostream& out) { report::write_ceilings(out, ceilings); });
  report::write_ceilings_table(
      std::cout, ceilings, {wants_color(ColorChoice::automatic), terminal_width(STDOUT_FILENO)});
  std::cout << "Wrote " << path << '\n';
  std::cout.flush();
  if (!std::cout.good()) throw std::runtime_error("standard output could not be written");
  for (const auto& name : missing) std::cerr << ceilings_prefix << "not measured: " << name << '\n';
  return missing.empty() ? ExitCode::success : ExitCode::failure;
}

}  // namespace

int ceilings_command(const std::vector<std::string>& arguments) {
  CeilingsRequest request;
  request.run.config = "ceilings";
  CLI::App app("Measures the ceilings of a device.", "bench ceilings");
  app.footer(ceilings_footer);
  app.get_formatter()->column_width(34);
  declare(app, request);
  try {
    parse_arguments(app, arguments);
    return run(request);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::cerr << ceilings_prefix << error.what() << "\nbench ceilings --help shows the flags.\n";
  } catch (const std::exception& error) {
    std::cerr << ceilings_prefix << error.what() << '\n';
  }
  return ExitCode::failure;
}

}  // namespace apod::cli
