#include "benchmarks/cli/options.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "benchmarks/cli/arguments.hpp"
#include "benchmarks/cli/choice.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/quantities.hpp"
#include "benchmarks/cli/subcommands.hpp"
#include "benchmarks/run/build_info.hpp"
#include "benchmarks/text/closest.hpp"

namespace apod::cli {
namespace {

constexpr const char* run_footer = R"(Examples:
  bench --config streams.yaml                      a shipped experiment, by its bare name
  bench --config my.yaml --dry-run                 its cases, memory and time, without running
  bench --config my.yaml --set streams=1,8 --filter pinned
  bench --config my.yaml --out r.json --out r.md   results; the extension decides the format
  bench --config my.yaml --explain                 ... and why each case takes its time
  nsys profile bench --config my.yaml              every case under its own NVTX range

Exit codes: 0 good; 1 usage or I/O error, or a case failed; 3 an expectation was missed;
            4 nothing was measured; 130 interrupted (the result file is still valid).)";

void declare(CLI::App& app, Options& options) {
  app.add_option("-c,--config", options.config,
                 "Experiment file: a path, or the bare name of a shipped one")
      ->type_name("FILE");
  app.add_flag("--list", options.list, "List workloads, variants, axes and shipped configs");
  app.add_flag("--dry-run", options.dry_run, "Show the plan, its memory and its time; run nothing");

  auto* narrow = app.add_option_group("Narrowing");
  narrow
      ->add_option("--set", options.set,
                   "Replace an axis or a measure key: streams=1,8 or precision=1%")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->expected(1);
  narrow
      ->add_option("--filter", options.filter,
                   "Keep the cases whose id matches (and their baselines)")
      ->type_name("REGEX");
  narrow
      ->add_option("--having", options.having,
                   "Keep the experiments that have the axis and know these values of it")
      ->type_name("AXIS=A,B");
  narrow
      ->add_option("--only", options.only,
                   "Keep the cases whose id is a line of the file (and their baselines)")
      ->type_name("FILE");

  auto* where = app.add_option_group("Where it runs");
  add_choice<BackendChoice>(*where, "--backend", options.backend,
                            {{"auto", BackendChoice::automatic},
                             {"host", BackendChoice::host},
                             {"cuda", BackendChoice::cuda}},
                            "auto takes the GPU where there is one, the host otherwise");
  where->add_option("--device", options.device, "Index of the GPU")
      ->check(CLI::Range(0, 1023).description(""))
      ->type_name("N");

  auto* how = app.add_option_group("How it runs");
  how->add_option("--processes", options.processes, "Fresh processes that measure every case")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N");
  how->add_option_function<std::string>(
         "--timeout",
         [&](const std::string& text) { options.timeout_s = parse_seconds("--timeout", text); },
         "Limit for one case in one process, e.g. 60s")
      ->type_name("TIME");
  how->add_option_function<std::string>(
         "--seed", [&](const std::string& text) { options.seed = parse_seed("--seed", text); },
         "Seed of the shuffled case order")
      ->type_name("N");
  how->add_flag("--resume", options.resume,
                "Go on with an interrupted run of the same output file");
  how->add_flag("--in-process", options.in_process,
                "No worker processes (chosen by itself under a profiler)");
  how->add_flag("--profile", options.profile,
                "A few runs a case between cudaProfilerStart and cudaProfilerStop");
  how->add_option("--profile-runs", options.profile_runs, "How many runs --profile makes")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N");

  how->add_flag("--explain", options.explain,
                "Trace every case after it was timed, and tell what its time goes into");
  how->add_flag("--counters", options.counters,
                "--explain, and read the device's counters too (docs/counters.md)");

  auto* output = app.add_option_group("Output");
  output
      ->add_option("-o,--out", options.out,
                   "Result file; repeat it for several. .json .csv .md or .txt")
      ->type_name("FILE")
      ->take_all()
      ->expected(1);
  output
      ->add_option(
          "--trace-out", options.trace_out,
          "Trace every case, and write what was seen: .json for ui.perfetto.dev, .csv or .txt as a "
          "row for each kernel")
      ->type_name("FILE");
  add_choice<report::Format>(*output, "--format", options.format,
                             {{"console", report::Format::console},
                              {"json", report::Format::json},
                              {"csv", report::Format::csv},
                              {"markdown", report::Format::markdown}},
                             "What standard output gets");
  output->add_flag("--timers", options.timers,
                   "Also print total, average, maximum, minimum and count of every phase");
  output->add_flag("-q,--quiet", options.quiet, "No progress");
  add_choice<ColorChoice>(*output, "--color", options.color,
                          {{"auto", ColorChoice::automatic},
                           {"always", ColorChoice::always},
                           {"never", ColorChoice::never}},
                          "Colour in the table");
}

/// Subcommands have flags of their own, so they are listed rather than declared.
std::string subcommand_lines() {
  std::string text = "Subcommands (bench NAME --help):\n";
  for (const auto& command : subcommands()) {
    text += "  " + std::string(command.name) +
            std::string(12 - std::string(command.name).size(), ' ') + command.help + "\n";
  }
  return text + "\n";
}

int usage_error(const std::string& message) {
  std::cerr << "bench: " << message << "\nbench --help shows the flags.\n";
  return ExitCode::failure;
}

/// The arguments that are neither a known flag nor a subcommand, with what the first may have
/// meant.
std::string explain_extras(const CLI::App& app) {
  // CLI11's own message has them the other way round.
  std::string message = "not expected:";
  for (const auto& word : app.remaining()) message += " " + word;
  std::vector<std::string> names;
  for (const auto* option : app.get_options({})) names.push_back(option->get_name());
  for (const auto* group : app.get_subcommands({})) {
    for (const auto* option : group->get_options({})) names.push_back(option->get_name());
  }
  std::vector<std::string> commands;
  for (const auto& command : subcommands()) commands.emplace_back(command.name);
  for (const auto& word : app.remaining()) {
    if (word.ends_with(".yaml") || word.ends_with(".yml")) {
      return message + " (did you mean --config " + word + "?)";
    }
    const bool is_flag = word.starts_with("--");
    const auto near = text::closest(word.substr(0, word.find('=')), is_flag ? names : commands);
    if (!near.empty()) message += " (did you mean " + near + "?)";
    if (is_flag || !near.empty()) break;
  }
  return message;
}

}  // namespace

ParseOutcome parse(int argc, char** argv) {
  Options options;
  options.command_line.assign(argv, argv + argc);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto diagnostics = take_google_flags(arguments, options);
  if (!diagnostics.empty()) {
    for (const auto& diagnostic : diagnostics)
      std::cerr << "bench: " << to_string(diagnostic) << '\n';
    return {{}, ExitCode::failure};
  }

  CLI::App app("Sweeps GPU experiments written in YAML: verifies, annotates, times and explains.",
               "bench");
  const std::string commit = run::build_commit;
  app.set_version_flag("--version", std::string("bench ") + run::build_version +
                                        (commit.empty() ? "" : " (" + commit + ")"));
  app.footer(subcommand_lines() + run_footer);
  app.get_formatter()->column_width(34);
  declare(app, options);
  try {
    parse_arguments(app, arguments);
  } catch (const CLI::Success& success) {
    return {{}, app.exit(success)};
  } catch (const CLI::ExtrasError&) {
    return {{}, usage_error(explain_extras(app))};
  } catch (const CLI::ParseError& error) {
    return {{}, usage_error(error.what())};
  }
  options.explain = options.explain || options.counters;
  if (options.config.empty() && !options.list) {
    std::cerr << "bench: nothing to run: --config FILE is missing\n"
                 "  bench --config smoke.yaml   a first run, under ten seconds\n"
                 "  bench --list                what there is\n"
                 "  bench --help                all flags\n";
    return {{}, ExitCode::failure};
  }
  return {std::move(options), 0};
}

}  // namespace apod::cli
