#include "benchmarks/cli/compare_options.hpp"

#include <algorithm>
#include <set>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/command_arm.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/reports.hpp"

namespace apod::cli {
namespace {

/// "streams=1,2,4" -> the axis and its values.
void split_by(const std::string& text, CompareRequest& request) {
  const auto equals = text.find('=');
  request.by = text.substr(0, equals);
  if (equals != std::string::npos) request.values = text::split(text.substr(equals + 1), ',');
  const std::set<std::string> different(request.values.begin(), request.values.end());
  if (different.size() < request.values.size())
    throw UsageError("--by: '" + text + "' contains a value twice");
  const bool named =
      equals != std::string::npos && !request.by.empty() && request.values.size() > 1 &&
      std::ranges::none_of(request.values, [](const auto& value) { return value.empty(); });
  if (!named)
    throw UsageError("--by: '" + text + "' is not of the form AXIS=A,B (write streams=1,4)");
}

void declare_files(Flags flags, CompareRequest& request) {
  flags.texts("--base", "PATH", request.base,
              "A file or folder of the base; repeat the flag for several");
  flags.texts("--new", "PATH", request.new_side,
              "A file or folder of the new side; repeat the flag for several");
  flags.metric(request.metric);
  flags.file("--calibration", request.calibration, "File that bench calibrate wrote");
}

void declare_blocks(Flags flags, CompareRequest& request) {
  flags.file("--base-bin", request.base_bin, "The base's bench program");
  flags.file("--new-bin", request.new_bin, "The new bench program (default: this program)");
  flags.file("-c,--config", request.config, "Experiment file that both programs run");
  flags.text("--base-cmd", "COMMAND", request.base_cmd,
             "The base command with its arguments, as one quoted word (instead of --base-bin)");
  flags.text("--new-cmd", "COMMAND", request.new_cmd, "The new command");
  declare_read(flags, request.reads);
  flags.flag("--confirm", request.confirm,
             "With BASE NEW: measure again the cases that may have changed, and decide from the "
             "new times");
  flags.flag("--changed", request.changed,
             "Run only the cases whose code may differ between the builds");
  flags.value("--by", "AXIS=A,B", "Compare values of an axis: variant=a,b or streams=1,2,4",
              [&request](const std::string& text) { split_by(text, request); });
  flags.count(
      "--blocks", request.blocks, 3, most_blocks,
      "Number of blocks that confirm a change; each measures both sides twice (default 12)");
  flags.seconds("--budget", request.budget_s,
                "Time for the whole comparison; more time means more measurements of both sides");
  flags.random_seed("--seed", request.seed, "Seed for the order of the blocks");
  flags.for_runs(request.slot_arguments);
}

void declare_verdict(Flags flags, CompareRequest& request) {
  flags.share("--threshold", request.threshold,
              "Smallest change that matters, if the base's file does not state one (default 1%)");
  flags.alpha(request.compare.alpha);
  flags.flag("--strict", request.compare.strict,
             "Count a change only if its whole interval is beyond the threshold");
  flags.choice("--fail-on", request.fail_on,
               {{"regression", FailOn::regression},
                {"suspect", FailOn::suspect},
                {"inconclusive", FailOn::inconclusive}},
               "What counts as failure. regression: a regression (exit code 3). suspect (default): "
               "also a case that may be slower (4). inconclusive: also an undecided case (5)");
  flags.choice("--exit-codes", request.exit_codes,
               {{"usual", ExitCodes::usual}, {"git", ExitCodes::git}},
               "git: exit codes for git bisect run: 0 good, 1 regression, 125 anything else");
  flags.filter(request.filter);
}

void declare_output(Flags flags, CompareRequest& request) {
  flags.files(
      "-o,--out", request.out,
      "Report file; repeat the flag for several: " + show::extensions_of(show::Formats::all));
  declare_format(flags, request.format);
  flags.color(request.color);
  flags.quiet(request.quiet);
}

/// The words of a program that is no `bench`; of --base-bin or --new-bin its file. Throws
/// UsageError.
std::vector<std::string> words_of(const std::string& side, const std::string& command,
                                  const std::string& file) {
  if (!command.empty() && !file.empty())
    throw UsageError("--" + side + "-bin and --" + side + "-cmd can't be combined: use only one");
  if (!file.empty()) return {file};
  if (command.empty())
    throw UsageError("--" + side + "-cmd COMMAND is missing: name the " + side + " program");
  return command_words(command);
}

/// What does not go with two programs that are no `bench`; empty where all does.
std::string contradiction_of_commands(const CompareRequest& request) {
  for (const auto& [given, flag] :
       {std::pair{!request.base.empty() || !request.new_side.empty(), "BASE NEW"},
        std::pair{!request.config.empty(), "--config"}, std::pair{!request.by.empty(), "--by"},
        std::pair{request.confirm, "--confirm"}, std::pair{request.changed, "--changed"}}) {
    if (given) return std::string("a comparison of commands needs no ") + flag + ": leave it out";
  }
  return "";
}

/// What is wrong with flags that do not fit together; empty when they do.
std::string contradiction(const CompareRequest& request) {
  const bool files = !request.base.empty() || !request.new_side.empty();
  const bool builds = !request.base_bin.empty() || !request.new_bin.empty();
  if (request.confirm) {
    if (!files) return "--confirm needs two files: name BASE and NEW";
    if (!request.by.empty())
      return "--confirm measures two builds, not axis values: leave out --by";
    if (request.base_bin.empty() || request.config.empty())
      return "--confirm measures the builds again: add --base-bin and --config";
  } else if (files && (request.side_by_side() || builds || !request.by.empty())) {
    return "BASE and NEW can't be combined with --config, --by or --base-bin (add --confirm to "
           "compare the files and then measure the builds)";
  }
  if (request.changed && (files || !request.by.empty())) {
    return "--changed compares two builds side by side: leave out " +
           std::string(files ? "BASE NEW" : "--by");
  }
  if (!files && !request.side_by_side()) {
    return builds || !request.by.empty()
               ? "--config FILE is missing: name the experiment to run (for programs other than "
                 "bench, add --read)"
               : "nothing to compare: name BASE and NEW, or --base-bin and --config";
  }
  if (files && (request.base.empty() || request.new_side.empty()))
    return request.base.empty() ? "--base PATH is missing" : "--new PATH is missing";
  const bool steers =
      request.blocks || request.budget_s || request.seed || !request.slot_arguments.empty();
  if (files && steers && !request.confirm)
    return "files are compared, so nothing is run: leave out --blocks, --budget, --seed, --set, "
           "--backend, --device and --timeout";
  if (!files && !request.metric.name.empty())
    return "--metric needs result files: bench's own runs measure only the time";
  if (!files && !request.calibration.empty())
    return "--calibration needs result files: name BASE and NEW, or leave out --calibration";
  if (!files && !request.by.empty() && !request.base_bin.empty())
    return "--by compares axis values of one build: leave out --base-bin";
  if (!files && request.by.empty() && request.base_bin.empty() && !request.of_commands())
    return "--base-bin FILE is missing (to compare two values of an axis instead: --by AXIS=A,B)";
  return "";
}

}  // namespace

void declare_compare(Flags& flags, CompareRequest& request) {
  flags.words("sides", "BASE NEW", "BASE and NEW: result files, or folders of them", request.sides);
  declare_files(flags.group("Two sides of files"), request);
  declare_blocks(flags.group("Side by side"), request);
  declare_verdict(flags.group("Verdict"), request);
  declare_output(flags.group("Output"), request);
}

void settle_compare(CompareRequest& request) {
  // Words name the sides that no flag names: bench compare --base runs/ new.json
  std::vector<std::vector<std::string>*> unnamed;
  for (auto* side : {&request.base, &request.new_side}) {
    if (side->empty()) unnamed.push_back(side);
  }
  const auto& words = request.sides;
  if (!words.empty() && (!request.base_cmd.empty() || !request.new_cmd.empty())) {
    throw UsageError("unexpected argument: " + words.front() +
                     " (name two programs; quote a program with its arguments: './old 4')");
  }
  if (words.size() > unnamed.size()) {
    throw UsageError("unexpected argument: " + words[unnamed.size()] +
                     " (for several files per side, name a folder, or repeat --base or --new)");
  }
  if (words.size() == 1 && unnamed.size() == 2) {
    throw UsageError("NEW is missing: there is only '" + words[0] +
                     "' (write bench compare BASE NEW; to see its runs over time: bench history " +
                     words[0] + ")");
  }
  for (std::size_t i = 0; i < words.size(); ++i) unnamed[i]->push_back(words[i]);
  if (request.threshold) request.compare.threshold = *request.threshold;
  request.compare.threshold_given = request.threshold.has_value();
  for (const auto& problem :
       {request.of_commands() ? contradiction_of_commands(request) : "", contradiction(request)}) {
    if (!problem.empty()) throw UsageError(problem);
  }
  // A file, as every path: only commands are looked up on the PATH.
  for (auto* file : {&request.base_bin, &request.new_bin}) {
    if (!file->empty() && file->find('/') == std::string::npos) file->insert(0, "./");
  }
  if (!request.of_commands()) return;
  request.base_words = words_of("base", request.base_cmd, request.base_bin);
  request.new_words = words_of("new", request.new_cmd, request.new_bin);
}

}  // namespace apod::cli
