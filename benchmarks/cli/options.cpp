#include "benchmarks/cli/options.hpp"

#include "benchmarks/base/axes.hpp"
#include "benchmarks/cli/reports.hpp"
#include "benchmarks/cli/shard_run.hpp"
#include "benchmarks/plan/config/measure.hpp"

namespace apod::cli {

std::vector<std::string> names_to_set() {
  auto names = config::measure_keys();
  const auto& registry = Registry::instance();
  for (const auto* family : registry.families()) {
    for (const auto& axis : axes_of(registry, *family, Scope::end_to_end))
      names.push_back(axis.name);
  }
  return names;
}

namespace {

void declare_narrowing(Flags flags, Options& options) {
  flags.set(options.set);
  flags.filter(options.filter, " (and their baselines)");
  flags.having(options.having);
  flags.file("--only", options.only,
             "Keep the cases whose id is a line of this file (and their baselines)");
  flags.value("--shard", "I/N",
              "Measure only part I of N (default under srun and mpirun: chosen by the rank)",
              [&](const std::string& text) { options.shard = parse_shard("--shard", text); });
}

void declare_way(Flags flags, Options& options) {
  flags.processes(options.processes);
  flags.timeout(options.timeout_s);
  flags.choice(
      "--fail-on", options.fail_on,
      {{"skipped", {.skipped = true}},
       {"undecided", {.undecided = true}},
       {"skipped,undecided", {.skipped = true, .undecided = true}}},
      "Also fail if a case was skipped (exit code 4), or if a rule of expect is undecided (3)");
  flags.random_seed(options.seed);
  flags.resume(options.resume);
  flags.flag("--in-process", options.in_process,
             "Measure in this process, without worker processes (default under a profiler)");
  flags.flag("--profile", options.profile,
             "Run each case a few times between cudaProfilerStart and cudaProfilerStop");
  flags.trust(options.trust);
  flags.count("--profile-runs", options.profile_runs, 1, 1000, "Runs of each case with --profile");
  flags.value("--check", "memory|race|init",
              "Run each case once under compute-sanitizer instead of measuring it: invalid "
              "accesses, races in shared memory, or reads of uninitialised memory",
              [&options](const std::string& text) {
                using Fault = run::MemoryFault;
                options.check = choose(
                    "--check", text,
                    Choices<Fault>{
                        {"memory", Fault::memory}, {"race", Fault::race}, {"init", Fault::init}});
              });
  flags.flag("--explain", options.explain,
             "Trace every case after the timed runs, and show where its time goes");
  flags.flag("--counters", options.counters,
             "Like --explain, and also read the device's counters (docs/inspecting.md)");
}

void declare_output(Flags flags, Options& options) {
  flags.outputs(
      options.out,
      show::extensions_of(show::Formats::all) +
          " (default: the name of the experiment file with .json, here or in results/; bench "
          "renames an earlier result with more measurements to .old)");
  flags.file("--trace-out", options.trace_out,
             "Trace every case, and write the trace: .json for ui.perfetto.dev; .csv or .txt with "
             "a row for each kernel");
  declare_format(flags, options.format);
  declare_timers(flags, options);
  flags.quiet(options.quiet);
  flags.color(options.color);
}

}  // namespace

void declare_timers(Flags& flags, Options& options) {
  flags.flag("--timers", options.timers,
             "Also print how long each stage took: total, average, maximum, minimum, count");
}

void declare_run(Flags& flags, Options& options) {
  flags.file("-c,--config", options.config,
             "Experiment file: a path, or the name of a shipped file");
  flags.optional_text("--list", "WHAT", options.list,
                      "List shipped configs and workloads; or a workload's variants and axes, "
                      "'facts', or 'all'");
  flags.flag("--dry-run", options.dry_run, "Show the plan, its memory and its time; run nothing");
  declare_narrowing(flags.group("Narrowing"), options);
  auto where = flags.group("Where it runs");
  where.backend(options.backend);
  where.devices(options.devices);
  where.flag("--spread", options.spread,
             "Divide the cases among the GPUs of --device (default: all GPUs)");
  declare_way(flags.group("How it runs"), options);
  declare_output(flags.group("Output"), options);
}

}  // namespace apod::cli
