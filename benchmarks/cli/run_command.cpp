#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/config/load.hpp"
#include "benchmarks/plan/estimate.hpp"
#include "benchmarks/plan/expand.hpp"
#include "benchmarks/report/atomic_file.hpp"
#include "benchmarks/report/progress.hpp"
#include "benchmarks/run/build_info.hpp"
#include "benchmarks/run/environment.hpp"
#include "benchmarks/run/session.hpp"
#include "benchmarks/trace/ranges.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> stop_asked{false};

/// The first Ctrl-C asks for an orderly end; a second one ends at once, as ever.
void watch_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { stop_asked = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGINT, SIGTERM}) ::sigaction(number, &action, nullptr);
  struct sigaction old {};
  ::sigaction(SIGHUP, nullptr, &old);
  if (old.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);  // nohup keeps its promise
  ::signal(SIGPIPE, SIG_IGN);  // a dead worker, or a reader that left, is an error we handle
}

int terminal_width(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 120;
}

bool wants_color(ColorChoice choice) {
  if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
  const char* term = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr && term != nullptr &&
         std::string(term) != "dumb";
}

/// Every problem, one a line, and how many they are.
int report_problems(const Diagnostics& diagnostics) {
  for (const auto& diagnostic : diagnostics) std::cerr << to_string(diagnostic) << '\n';
  const auto count = diagnostics.size();
  std::cerr << "bench: " << count << (count == 1 ? " problem" : " problems")
            << "; nothing was run\n";
  return ExitCode::failure;
}

int fail(const std::string& message) {
  std::cerr << "bench: " << message << '\n';
  return ExitCode::failure;
}

bool runs_in_process(const Options& options) {
  return options.in_process || options.profile || trace::profiler_attached();
}

/// What is wrong with flags that contradict each other; empty when none do.
std::string contradiction(const Options& options) {
  if (options.profile && options.resume) return "--profile makes no result to --resume";
  if (options.resume && options.seed) {
    return "--resume goes on in the order of the run that it resumes: leave out --seed";
  }
  if (options.in_process && options.processes.value_or(1) > 1) {
    return "--in-process is one process: leave out --processes";
  }
  if (options.in_process && options.timeout_s) {
    return "--timeout ends a worker process, and --in-process has none";
  }
  return "";
}

/// Which devices this run may use, found without making a CUDA context.
struct Machine {
  BackendKind preferred = BackendKind::host;
  bool cuda = false;
  std::string cuda_missing;
  std::uint64_t device_memory = 0;
  std::string device;  ///< who it is: the GPU's UUID; empty on the host
};

Machine look_at_machine(const Options& options, const Registry& registry) {
  Machine machine;
  if (options.backend == BackendChoice::host) {
    machine.cuda_missing = "--backend host was asked for";
    return machine;
  }
  const auto* entry = registry.backend(BackendKind::cuda);
  if (entry == nullptr) {
    machine.cuda_missing = "backend cuda not built";
  } else {
    const auto devices = entry->devices(machine.cuda_missing);
    const auto index = static_cast<std::size_t>(options.device);
    if (index < devices.size()) {
      machine.cuda = true;
      machine.preferred = BackendKind::cuda;
      machine.device_memory = devices[index].memory_bytes;
      machine.device = devices[index].uuid;
    } else if (!devices.empty()) {
      machine.cuda_missing =
          fmt::format("--device {}: this machine has {} CUDA device{}", options.device,
                      devices.size(), devices.size() == 1 ? " (index 0)" : "s");
    }
  }
  return machine;
}

struct Planned {
  std::optional<Plan> plan;
  int exit_code = ExitCode::failure;
};

Planned make_plan(const Options& options, const Registry& registry, const Machine& machine) {
  const auto path = find_config(options.config);
  const auto loaded =
      config::load_file(path, registry, {.backend = machine.preferred, .overrides = options.set});
  if (!loaded.config) return {{}, report_problems(loaded.diagnostics)};
  auto expanded = plan::expand(*loaded.config, registry,
                               {.host_available = true,
                                .cuda_available = machine.cuda,
                                .cuda_missing_reason = machine.cuda_missing,
                                .device_memory_bytes = machine.device_memory,
                                .host_memory_bytes = run::host_memory_bytes(),
                                .filter = options.filter},
                               loaded.diagnostics);
  if (!expanded.plan) return {{}, report_problems(expanded.diagnostics)};
  for (const auto& note : expanded.notes) std::cerr << "bench: " << note << '\n';
  for (auto& experiment : expanded.plan->experiments) {
    if (options.processes) experiment.measure.processes = *options.processes;
    if (options.timeout_s) experiment.measure.timeout_s = *options.timeout_s;
    if (runs_in_process(options)) experiment.measure.processes = 1;
  }
  return {std::move(expanded.plan), ExitCode::success};
}

/// Beside the config's own name: in results/ where there is such a folder, here otherwise.
std::vector<std::string> output_paths(const Options& options, const Plan& plan) {
  if (!options.out.empty()) return options.out;
  // A few runs under a profiler must not take the place of a study.
  const auto name = plan.name + (options.profile ? ".profile.json" : ".json");
  std::error_code error;
  return {fs::is_directory("results", error) ? "results/" + name : name};
}

/// What a journal must have been written by to be resumed here.
std::string identity(const Plan& plan, const Machine& machine) {
  return run::fingerprint(plan, std::string(run::build_commit) + " " + machine.device);
}

/// A journal that is there without --resume is the unfinished work of an earlier run: kept aside.
void keep_aside(const std::string& journal) {
  std::error_code error;
  // Another run's work in progress stays where it is; the session says that it is in use.
  if (journal.empty() || !fs::exists(journal, error) || run::in_use(journal)) return;
  fs::rename(journal, journal + ".old", error);
  if (!error) {
    std::cerr << "bench: an earlier run was not finished; its journal is kept as " << journal
              << ".old (--resume would have gone on with it)\n";
  }
}

/// A guess on the safe side: raw samples are most of a result.
std::uint64_t result_bytes(const Plan& plan) {
  std::uint64_t bytes = 1 << 16;
  for (const auto& c : plan.cases) {
    bytes += 2000 + static_cast<std::uint64_t>(plan.experiment_of(c).measure.processes) * 8000;
  }
  return bytes;
}

/// The journal lies beside the first output that is an ordinary file.
std::string journal_path(const std::string& output) {
  std::error_code error;
  const auto status = fs::status(output, error);
  const bool ordinary = !fs::exists(status) || fs::is_regular_file(status);
  return ordinary ? output + ".journal" : "";
}

std::string outcome_line(const Measurement& measurement) {
  if (!measurement.failed.empty()) {
    return "failed in " + measurement.stage + ": " + measurement.failed;
  }
  if (measurement.samples_s.empty()) return "traced";
  double sum = 0;
  for (const double sample : measurement.samples_s) sum += sample;
  return fmt::format("{} ({} samples)",
                     report::format_time(sum / static_cast<double>(measurement.samples_s.size())),
                     measurement.samples_s.size());
}

int exit_code_of(const Result& result) {
  std::size_t measured = 0;
  bool failed = false;
  for (const auto& summary : summarize(result)) {
    measured += summary.status == CaseStatus::measured ? 1 : 0;
    failed = failed || summary.status == CaseStatus::failed;
  }
  if (result.interrupted) return ExitCode::interrupted;
  if (failed) return ExitCode::failure;
  if (measured == 0) return ExitCode::nothing_to_judge;
  for (const auto& outcome : result.expectations) {
    if (!outcome.met) return ExitCode::regression;
  }
  return ExitCode::success;
}

/// False when standard output could not take it all.
bool print_result(const Options& options, const Result& result) {
  const report::ConsoleStyle style{wants_color(options.color), terminal_width(STDOUT_FILENO)};
  if (options.format == report::Format::console) {
    report::write_console(std::cout, result, style);
  } else {
    report::write(std::cout, result, options.format);
  }
  if (options.timers) report::write_timers(std::cout, result, style);
  std::cout.flush();
  return std::cout.good();
}

/// Writes every output; the ones that could be written are, whatever happens to the others.
bool write_results(const std::vector<std::string>& paths, const Result& result) {
  bool good = true;
  for (const auto& path : paths) {
    try {
      report::write_atomically(
          path, [&](std::ostream& out) { report::write(out, result, report::format_of(path)); });
    } catch (const std::exception& error) {
      good = false;
      std::cerr << "bench: " << error.what() << '\n';
    }
  }
  return good;
}

}  // namespace

int run_command(const Options& options, const Registry& registry) {
  if (const auto problem = contradiction(options); !problem.empty()) return fail(problem);
  const auto machine = look_at_machine(options, registry);
  if (options.backend == BackendChoice::cuda && !machine.cuda) {
    return fail("--backend cuda: " + machine.cuda_missing);
  }
  if (options.device > 0 && !machine.cuda) return fail(machine.cuda_missing);
  auto [planned, code] = make_plan(options, registry, machine);
  if (!planned) return code;
  Plan& plan = *planned;
  if (options.list_cases) {
    for (const auto& c : plan.cases) fmt::print("{}\n", c.id);
    return ExitCode::success;
  }
  if (options.dry_run) {
    print_plan(plan, registry);
    return ExitCode::success;
  }

  const auto paths = output_paths(options, plan);
  run::SessionOptions session;
  session.order_seed = options.seed ? *options.seed : std::random_device{}();
  session.device = options.device;
  session.profile_runs = options.profile ? options.profile_runs : 0;
  session.in_process = runs_in_process(options);
  session.journal = options.profile ? "" : journal_path(paths.front());
  session.fingerprint = identity(plan, machine);
  try {
    for (const auto& path : paths) {
      report::format_of(path);  // an extension that means nothing is found now, not at the end
      report::check_writable(path, result_bytes(plan));
    }
    if (options.resume) {
      auto left = run::read_journal(session.journal);
      if (left.fingerprint != session.fingerprint) {
        return fail(session.journal +
                    ": belongs to another plan, build or device (or the config, its data, --set, "
                    "--filter or --backend differ); run without --resume to start anew");
      }
      session.resumed = std::move(left.entries);
      session.order_seed = left.order_seed;
    } else {
      keep_aside(session.journal);
    }
  } catch (const std::exception& error) {
    return fail(error.what());
  }

  watch_signals();
  const double estimate_s = plan::estimate_seconds(plan, registry);
  Result result;
  try {
    const bool terminal = ::isatty(STDERR_FILENO) != 0;
    auto steps = run::count_steps(plan, session);
    steps -= std::min(steps, session.resumed.size());
    std::optional<report::Progress> progress;
    if (!options.quiet) {
      progress.emplace(std::cerr, terminal, terminal_width(STDERR_FILENO), steps, estimate_s);
    }
    run::SessionListener listener;
    listener.cancelled = [] { return stop_asked.load(); };
    listener.message = [&](const std::string& text) {
      if (progress) {
        progress->message(text);
      } else {
        std::cerr << "bench: " << text << '\n';
      }
    };
    if (progress) {
      listener.stage = [&](const Case& c, const std::string& stage) {
        progress->running(c.id, stage);
      };
      listener.finished = [&](const Case& c, const Measurement& measurement) {
        // Lines of a log may be left out when they come fast; a failure must not be.
        if (!measurement.failed.empty()) progress->message(c.id + ": " + outcome_line(measurement));
        progress->finished(c.id, measurement.failed.empty() ? outcome_line(measurement) : "failed");
      };
    }
    result = run::run_session(std::move(plan), registry, session, listener);
    if (progress) progress->close();
  } catch (const std::exception& error) {
    return fail(error.what());
  }
  result.command_line = options.command_line;
  for (const auto& [key, value] : options.context) result.environment.variables[key] = value;

  if (result.interrupted && result.measurements.empty()) {
    std::error_code ignored;
    if (!session.journal.empty()) fs::remove(session.journal, ignored);
    std::cerr << "Interrupted before anything was finished; nothing was written.\n";
    return ExitCode::interrupted;
  }
  // Files first: whatever becomes of the terminal, they are safe.
  const bool written = write_results(paths, result);
  const bool printed = print_result(options, result);
  std::ostream& closing = options.format == report::Format::console ? std::cout : std::cerr;
  if (result.interrupted) {
    closing << "Interrupted: what was finished is kept; go on with --resume.\n";
  } else if (written && !session.journal.empty()) {
    std::error_code ignored;
    fs::remove(session.journal, ignored);
  } else if (!session.journal.empty()) {
    closing << "The measurements are safe in " << session.journal << "; --resume writes them.\n";
  }
  if (!printed) return fail("standard output could not be written");
  if (!written) return ExitCode::failure;
  for (const auto& path : paths) closing << "Wrote " << path << '\n';
  closing.flush();
  return exit_code_of(result);
}

}  // namespace apod::cli
