#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <set>
#include <stdexcept>

#include "benchmarks/base/facts.hpp"
#include "benchmarks/base/summary.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/base/tuning.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/measuring.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/planning.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/reports.hpp"
#include "benchmarks/cli/session_progress.hpp"
#include "benchmarks/cli/shard_run.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/cli/trust.hpp"
#include "benchmarks/files/read_result.hpp"
#include "benchmarks/judge/search/strategy.hpp"
#include "benchmarks/plan/estimate.hpp"
#include "benchmarks/plan/space.hpp"
#include "benchmarks/run/environment.hpp"
#include "benchmarks/run/shape_search.hpp"
#include "benchmarks/run/trials.hpp"
#include "benchmarks/show/export/tuned_choice.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::cli {
namespace {

/// The command line of a search as plain values.
struct TuneOptions {
  Options run;  ///< config, set, having, backend, device, timeout, seed, resume, dry_run, out ...
  std::vector<std::string> objectives{"time"};
  double budget_s = 600;
  std::optional<search::StrategyKind> strategy;
  std::optional<std::vector<std::string>> shapes;  ///< axes that are not tuned; nothing: a guess
  bool portable = false;
  std::vector<std::string> known;  ///< results of other searches of the space
};

/// What an output of a search is, by its extension; throws std::invalid_argument for others.
enum class TuneOutput : std::uint8_t { result, t4, yaml, header, report };
TuneOutput tune_output(const std::string& path) {
  const auto ends = [&](const char* extension) { return path.ends_with(extension); };
  if (ends(".t4.json")) return TuneOutput::t4;
  if (ends(".json")) return TuneOutput::result;
  if (ends(".yaml") || ends(".yml")) return TuneOutput::yaml;
  if (ends(".hpp") || ends(".h")) return TuneOutput::header;
  for (const auto* extension : {".html", ".md", ".txt", ".csv"}) {
    if (ends(extension)) return TuneOutput::report;
  }
  throw std::invalid_argument(
      path + ": the name must end in .json, .t4.json, .yaml, .hpp, .html, .md, .txt or .csv");
}

/// A search, from its command line to its exit code. Everything that is wrong is found before
/// anything is measured, and said together.
class Tune {
 public:
  Tune(const TuneOptions& asked, const Registry& registry)
      : options_(asked),
        registry_(registry),
        machine_(look_at_machine(options_.run, registry)),
        expand_(expand_options(machine_)) {
    // The space of a GPU can be counted without one.
    if (options_.run.dry_run) expand_.cuda_available = true;
  }

  int run() {
    make_shapes();
    if (!shapes_.empty() && problems_.empty()) check_objectives();
    if (problems_.empty()) take_known();
    if (!problems_.empty()) return refuse(problems_);
    if (options_.run.dry_run) return dry_run();
    const auto first = plan_of_starts();
    if (!problems_.empty()) return refuse(problems_);
    if (const auto refused = refuse_untrusted(options_.run, first)) return *refused;
    outputs_ = output_paths(options_.run, &named_);
    if (options_.run.out.empty()) problems_ = output_problems(outputs_, options_.run, nullptr);
    if (!problems_.empty()) return refuse(problems_);
    return search_all(first);
  }

 private:
  void add(const std::string& problem) { problems_.push_back("bench tune: " + problem); }

  void make_shapes() {
    const auto loaded = load_experiments(options_.run, registry_, machine_, problems_);
    for (const auto& one : loaded.diagnostics) problems_.push_back(to_string(one));
    if (!problems_.empty() || !loaded.config) return;
    config_ = *loaded.config;
    named_.name = config_.name + "_tune";
    if (!options_.run.having.empty()) {
      // It also keeps the experiment that has the baseline, which is not searched.
      std::set<std::string> baselines;
      for (const auto& one : config_.experiments) baselines.insert(one.baseline_of);
      std::erase_if(config_.experiments,
                    [&](const Experiment& one) { return baselines.contains(one.name); });
    }
    if (config_.experiments.size() != 1) {
      const auto names = text::joined(config_.experiments, ", ", &Experiment::name);
      return add(
          fmt::format("{} has {} experiments ({}), but a search needs exactly one: choose one with "
                      "--having AXIS=VALUE, or put it into its own file",
                      options_.run.config, config_.experiments.size(), names));
    }
    auto& experiment = config_.experiments.front();
    if (options_.run.timeout_s) experiment.measure.timeout_s = *options_.run.timeout_s;
    if (experiment.command && experiment.command->finds_cases()) {
      return add(
          "the cases of this command come from its output, but a search needs one time per "
          "process");
    }
    const auto fixed =
        options_.shapes ? *options_.shapes : plan::problem_axes(experiment, registry_);
    std::vector<Experiment> parts;
    try {
      parts = plan::split_by(experiment, fixed);
    } catch (const std::invalid_argument& unknown) {
      return add(std::string("--for ") + unknown.what() + ": the experiment has no such axis");
    }
    for (const auto& group : experiment.groups) {
      for (const auto& axis : group.axes) {
        const bool is_fixed = std::ranges::find(fixed, axis.name) != fixed.end();
        if (axis.values.size() > 1) (is_fixed ? shaped_ : tuned_).push_back(axis.name);
      }
    }
    if (tuned_.empty()) {
      return add("nothing to tune: " +
                 (shaped_.empty() ? std::string("every axis has only one value")
                                  : "only axes that change the problem have several values (" +
                                        text::joined(shaped_, ", ") +
                                        "); to tune these axes too, add --for none"));
    }
    Diagnostics of_empty;  // which count where every shape is
    Diagnostics diagnostics;
    for (const auto& part : parts) {
      Diagnostics own;
      plan::Space space(part, registry_, expand_, config_.path, own);
      auto& kept = space.size() == 0 ? of_empty : diagnostics;
      kept.insert(kept.end(), own.begin(), own.end());
      if (space.size() == 0) continue;
      run::ShapeSpace shape{"", {}, std::move(space), 0};
      shape.start = shape.space.nearest(experiment.baseline);
      for (const auto& axis : shaped_) {
        const auto& value = plan::axis_called(part, axis)->values.front();
        shape.values.emplace_back(axis, value);
        shape.label += (shape.label.empty() ? "" : ", ") + axis + " " + to_string(value);
      }
      if (const auto& shard = options_.run.shard; shard && !shard->is_all()) {
        shape.start = shape.space.keep_part(static_cast<std::size_t>(shard->index - 1),
                                            static_cast<std::size_t>(shard->count), shape.start);
      }
      shapes_.push_back(std::move(shape));
    }
    if (shapes_.empty()) diagnostics.insert(diagnostics.end(), of_empty.begin(), of_empty.end());
    if (!shapes_.empty() && shapes_.size() < parts.size()) {
      say("bench leaves out " + text::counted(parts.size() - shapes_.size(), "shape") +
          " without a valid configuration");
    }
    for (const auto& one : in_order(std::move(diagnostics))) problems_.push_back(to_string(one));
  }

  /// The device whose times these are.
  std::string model() const {
    const auto* backend = registry_.backend(BackendKind::cuda);
    const bool on_host = !machine_.cuda || config_.experiments.front().command;
    if (on_host || backend == nullptr) return run::cpu_model();
    std::string why_not;
    const auto devices = backend->devices(why_not);
    const auto index = static_cast<std::size_t>(options_.run.device.value_or(0));
    return index < devices.size() ? devices[index].name : machine_.device;
  }

  /// What other searches of the space have seen, on devices of this model.
  void take_known() {
    const run::SessionListener silent;
    const run::Trials trials(registry_, trial_options(), silent);
    const auto own = model();
    for (const auto& path : options_.known) {
      try {
        const auto earlier = files::read_result(path);
        const auto& device = earlier.environment.device;
        const auto there =
            device.backend == BackendKind::cuda && !config_.experiments.front().command
                ? device.name
                : earlier.environment.cpu_model;
        if (there != own) {
          add("--known " + path + ": was measured on " + there + ", but this is " + own +
              ": other configurations may be the best on another device");
          continue;
        }
        std::size_t taken = 0;
        for (auto& shape : shapes_) {
          const auto known = trials.known(shape.space, earlier);
          shape.known.insert(shape.known.end(), known.begin(), known.end());
          taken += known.size();
        }
        if (taken == 0) add("--known " + path + ": the file has no configuration of this space");
      } catch (const std::exception& error) {
        add("--known " + path + ": " + error.what());
      }
    }
  }

  void check_objectives() {
    const auto& experiment = config_.experiments.front();
    for (const auto& name : options_.objectives) {
      if (name == "time") continue;
      const auto* fact = find_fact(name);
      if (unit_of_figure(experiment.command, name)) continue;
      if (fact == nullptr) {
        std::vector<std::string> names{"time", "energy"};
        for (const auto& known : known_facts()) names.emplace_back(known.name);
        add("--objective " + name + ": this is not a fact (" +
            text::did_you_mean(text::closest(name, names), to_see_facts) + ")");
      } else if (fact->better == Better::neither ||
                 (fact->needs != FactNeeds::nothing && fact->needs != FactNeeds::energy &&
                  fact->needs != FactNeeds::command)) {
        add("--objective " + name + ": a search can't use this fact (use time or energy)");
      } else if (fact->needs == FactNeeds::energy && (!machine_.cuda || experiment.command)) {
        add("--objective " + name + ": energy can only be measured for a kernel on a GPU, but " +
            (experiment.command ? "this is a command" : "there is none: " + machine_.cuda_missing));
      }
    }
  }

  run::TrialOptions trial_options() const {
    run::TrialOptions trials;
    trials.config_name = config_.name;
    trials.config_path = config_.path;
    trials.config_text = config_.text;
    trials.description = config_.description;
    trials.expand = expand_;
    trials.objectives = options_.objectives;
    // Energy takes long: rows are chosen by their time.
    const bool only_energy =
        trials.objectives.size() == 1 && run::needs_energy(trials.objectives.front());
    if (only_energy) trials.objectives.emplace_back("time");
    trials.session.device = options_.run.device.value_or(0);
    trials.session.visible_device = options_.run.device && machine_.cuda ? machine_.device : "";
    return trials;
  }

  /// The defaults of all shapes: their errors, the code they bring, and the search's identity.
  Plan plan_of_starts() {
    Plan all;
    const run::SessionListener silent;
    const run::Trials trials(registry_, trial_options(), silent);
    for (const auto& shape : shapes_) {
      std::string why_not;
      auto plan = trials.plan_of(shape.space, std::span(&shape.start, 1), {}, why_not);
      if (!plan) {
        problems_.push_back(why_not);
        continue;
      }
      if (all.cases.empty()) {
        all = std::move(*plan);
      } else {
        all.cases.push_back(std::move(plan->cases.front()));
        all.cases.back().index = all.cases.size() - 1;
      }
      auto& words = all.cases.back().wanted;
      words = options_.objectives;
      words.push_back(std::to_string(shape.space.size()));
      if (options_.strategy) words.emplace_back(to_string(*options_.strategy));
    }
    return all;
  }

  int dry_run() const {
    // Words of the file are in these lines, and none begins one.
    const auto print = [](const std::string& line) { std::cout << text::printable(line) << '\n'; };
    print(fmt::format("Tuned: {}{}{}", fmt::join(tuned_, ", "),
                      shaped_.empty() ? "" : "; separately for each ", fmt::join(shaped_, ", ")));
    std::set<std::string> notes;
    for (const auto& shape : shapes_) {
      print(fmt::format("{}{} of {} configurations are valid; the default is {}",
                        shape.label.empty() ? "" : "At " + shape.label + ": ", shape.space.size(),
                        shape.space.product(), shape.space.label(shape.start)));
      notes.insert(shape.space.notes().begin(), shape.space.notes().end());
    }
    for (const auto& note : notes) print(note);
    if (config_.experiments.front().command) return ExitCode::success;  // its time is not known
    const run::SessionListener silent;
    const run::Trials trials(registry_, trial_options(), silent);
    double look_s = 0;
    for (const auto& shape : shapes_) {
      std::string why_not;
      const auto plan = trials.plan_of(shape.space, std::span(&shape.start, 1), {}, why_not);
      if (!plan) return fail(why_not);
      look_s += plan::estimate_seconds(*plan, plan->cases.front(), registry_) /
                static_cast<double>(shapes_.size());
    }
    const double looks =
        search::budget_of_looks(options_.budget_s, look_s) / std::max(look_s, 1e-9);
    std::cout << fmt::format("One measurement takes about {}. In {}, bench can make about {}.\n",
                             text::format_duration(look_s),
                             text::format_duration(options_.budget_s),
                             text::counted(static_cast<std::size_t>(looks), "measurement"));
    return ExitCode::success;
  }

  int search_all(const Plan& first) {
    auto trials = trial_options();
    trials.session.order_seed = options_.run.seed ? *options_.run.seed : std::random_device{}();
    watch_signals();
    const auto path = journal_path(outputs_.front());
    if (options_.run.resume && path.empty()) return fail(no_journal);
    const auto claims = claim_outputs(outputs_, path);
    auto journal = open_journal(options_.run, path, identity_of(first, machine_, options_.run),
                                nullptr, "run it with --resume", trials.session);
    trials.session.journal = journal ? &*journal : nullptr;
    seed_ = trials.session.order_seed;

    auto progress = progress_on_stderr(options_.run.quiet, 1, options_.budget_s);
    std::size_t steps = 0;
    run::SessionListener listener;
    listener.cancelled = [&] { return stop_after_tick(progress); };
    listener.message = [&](const std::string& text) {
      options_.run.quiet ? say(text) : progress.message(text);
    };
    listener.stage = [&](const Case& c, const std::string& stage) {
      progress.running(c.id, stage);
    };
    listener.finished = [&](const Case& c, const Measurement& measurement) {
      ++steps;
      const double done = std::clamp(spent_s_ / options_.budget_s, 0.02, 1.0);
      progress.expect(static_cast<std::size_t>(static_cast<double>(steps) / done) + 1, 0);
      progress.finished(c.id, measurement.failed.empty() ? "tried" : "failed");
    };
    run::Trials measured(registry_, std::move(trials), listener);
    Tuning tuning = describe();
    bool finished = false;
    try {
      finished = run::search_shapes(
          shapes_,
          {options_.objectives, options_.strategy, seed_, options_.budget_s, options_.portable},
          measured, spent_s_, tuning);
    } catch (const run::BudgetTooShort&) {
      if (journal && !options_.run.resume) journal->discard();
      throw;
    }
    progress.close();
    if (!finished) {
      return fail(journal ? "interrupted: finished measurements are kept; to continue, add --resume"
                          : "interrupted; nothing was written",
                  ExitCode::interrupted);
    }
    return finish(std::move(tuning), measured.result(), journal);
  }

  Tuning describe() const {
    Tuning tuning;
    const auto& experiment = config_.experiments.front();
    tuning.name = experiment.name;
    tuning.config_path = config_.path;
    tuning.objectives = options_.objectives;
    tuning.tuned = tuned_;
    tuning.shaped = shaped_;
    for (const auto& axis : tuned_) {
      if (experiment.kernel && file::is_macro(axis)) tuning.macros.push_back(axis);
    }
    if (const auto& part = options_.run.shard; part && !part->is_all()) {
      tuning.notes.push_back("Part " + part->text() +
                             " of the space. To combine the parts, run a search without --shard, "
                             "and name the results (.json) of all parts with --known.");
    }
    tuning.seed = seed_;
    tuning.budget_s = options_.budget_s;
    tuning.device = machine_.device;
    tuning.build = run::build_commit;
    tuning.command_line = options_.run.command_line;
    return tuning;
  }

  int finish(Tuning tuning, Result result, std::optional<run::Journal>& journal) {
    result.command_line = options_.run.command_line;
    result.order_seed = seed_;
    if (!result.environment.device.name.empty()) tuning.device = result.environment.device.name;
    const auto report = show::report_of(tuning);
    bool written = true;
    for (const auto& path : outputs_) written = write_one(path, tuning, result, report) && written;
    show::write(std::cout, report, show::Format::console, console_style(options_.run.color));
    if (journal && written) journal->discard();
    if (written) {
      for (const auto& path : outputs_) std::cout << "Wrote " << text::printable(path) << '\n';
    }
    const bool any = std::ranges::any_of(
        tuning.shapes, [](const TunedShape& shape) { return !shape.rows.empty(); });
    return written && any ? ExitCode::success : ExitCode::failure;
  }

  /// False, with a line on standard error, if it could not be written.
  bool write_one(const std::string& path, const Tuning& tuning, const Result& result,
                 const show::Report& report) const {
    const auto write = [&](const std::function<void(std::ostream&)>& body) {
      try {
        write_output(destination(path, options_.run), std::nullopt, body);
        return true;
      } catch (const std::exception& error) {
        say(error.what());
        return false;
      }
    };
    switch (tune_output(path)) {
      case TuneOutput::result:
        return write_results({path}, options_.run, result);
      case TuneOutput::t4:
        return write([&](std::ostream& out) { exports::write_t4(out, tuning, result); });
      case TuneOutput::yaml:
        return write([&](std::ostream& out) { exports::write_yaml(out, tuning); });
      case TuneOutput::header:
        return write([&](std::ostream& out) { exports::write_header(out, tuning); });
      default:
        return write_reports({path}, report);
    }
  }

  const TuneOptions& options_;
  const Registry& registry_;
  Machine machine_;
  plan::ExpandOptions expand_;
  ExperimentConfig config_;
  std::vector<std::string> problems_;  ///< a line each
  std::vector<std::string> tuned_;     ///< axes with several values
  std::vector<std::string> shaped_;
  std::vector<run::ShapeSpace> shapes_;
  Plan named_;  ///< by which outputs are named
  std::vector<std::string> outputs_;
  std::uint64_t seed_ = 0;
  double spent_s_ = 0;
};

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
                "values (default: the axes that change the problem; none: tune all axes)",
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
    if (options_.run.config.empty()) refuse_nothing("tune", "an experiment with --config FILE");
    if (options_.run.resume && options_.run.seed) refuse_both("--resume", "--seed");
    if (options_.objectives.empty() || options_.objectives.size() > 2)
      throw UsageError("--objective needs one or two facts, such as time,energy");
  }
  Files files() const override {
    Files files{options_.known, outputs_at(options_.run.out, tune_output)};
    files.inputs.push_back(find_config(options_.run.config));
    return files;
  }
  int run() override { return Tune(options_, Registry::instance()).run(); }

 private:
  TuneOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_tune() {
  return std::make_unique<TuneCommand>();
}

}  // namespace apod::cli
