#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/frame.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/shard_run.hpp"
#include "benchmarks/cli/tuning_run.hpp"

namespace apod::cli {
namespace {

class TuneCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Each case is verified and timed as in an ordinary run. The best few are measured again, side by side
with the default: the experiment's baseline, or its first case.

Examples:
  bench tune --config my.yaml --dry-run                    how large the space is
  bench tune --config my.yaml --budget 2m                  the best within two minutes
  bench tune --config my.yaml --for size --portable        the best for each size, and one for all
  bench tune --config my.yaml --out best.yaml --out best.hpp --out search.html

Exit codes: 0 good; 1 usage or I/O error, or every configuration failed; 4 the file is not trusted;
            130 interrupted (--resume continues).)",
        {"--config", "--objective", "--budget", "--for", "--portable", "--dry-run", "--set",
         "--resume", "--trust", "--out"}};
  }
  void declare(Flags& flags) override {
    auto& run = options_.run;
    flags.file("-c,--config", run.config, "Experiment file whose axes are the search space");
    flags.value("--objective", "FACT,FACT",
                "What to optimise: time (default), energy, both, or another fact",
                [&](const std::string& text) { options_.objectives = text::split(text, ','); });
    flags.seconds("--budget", options_.budget_s, "Time for the whole search (default 10m)");
    flags.choice("--strategy", options_.strategy,
                 {{"race", search::StrategyKind::race}, {"model", search::StrategyKind::model}},
                 "Search strategy (default: race if the budget allows two measurements of each "
                 "configuration, otherwise model)");
    flags.value("--for", "AXIS,AXIS",
                "Axes that are not tuned: bench finds the best configuration for each of their "
                "values (default: "
                "the axes that change the problem; none: tune all axes)",
                [&](const std::string& text) {
                  options_.shapes =
                      text == "none" ? std::vector<std::string>{} : text::split(text, ',');
                });
    flags.flag("--portable", options_.portable,
               "Also find the best single configuration for all values of --for (smallest "
               "worst-case loss)");
    flags.value("--shard", "I/N", "Search part I of N of the space",
                [&](const std::string& text) { run.shard = parse_shard("--shard", text); });
    flags.texts("--known", "FILE", options_.known,
                "Results of other searches of this space (such as other shards) on the same "
                "model of device");
    flags.flag("--dry-run", run.dry_run, "Count the configurations; run nothing");
    flags.set(run.set);
    flags.having(run.having);
    flags.backend(run.backend);
    flags.device(run.device);
    flags.timeout(run.timeout_s);
    flags.random_seed(run.seed);
    flags.resume(run.resume);
    flags.trust(run.trust);
    flags.outputs(run.out,
                  "measurements (.json; .t4.json for autotuners), the choice (.yaml, .hpp) or a "
                  "report (.html, .md, .txt, .csv)");
    flags.quiet(run.quiet);
    flags.color(run.color);
  }
  void settle() override {
    options_.run.command_line = command_line;
    if (options_.run.config.empty()) {
      refuse_nothing("tune", "an experiment with --config FILE");
    }
    if (options_.run.resume && options_.run.seed) refuse_both("--resume", "--seed");
    if (options_.objectives.empty() || options_.objectives.size() > 2)
      throw UsageError("--objective needs one or two facts, such as time,energy");
  }
  Files files() const override {
    Files files{options_.known, outputs_at(options_.run.out, tune_output)};
    files.inputs.push_back(find_config(options_.run.config));
    return files;
  }
  int run() override { return tune(options_, Registry::instance()); }

 private:
  TuneOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_tune() {
  return std::make_unique<TuneCommand>();
}

}  // namespace apod::cli
