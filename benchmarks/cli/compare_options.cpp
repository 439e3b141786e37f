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
  if (!named) refuse_form("--by", text, "AXIS=A,B", "streams=1,4");
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
  flags.blocks(request.blocks);
  flags.seconds("--budget", request.budget_s,
                "Time for the whole comparison; more time means more measurements of both sides");
  flags.random_seed(request.seed);
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
  flags.outputs(request.out, show::extensions_of(show::Formats::all));
  declare_format(flags, request.format);
  flags.color(request.color);
  flags.quiet(request.quiet);
}

/// The words of a program that is no `bench`; of --base-bin or --new-bin its file. Throws
/// UsageError.
std::vector<std::string> words_of(const std::string& side, const std::string& command,
                                  const std::string& file) {
  if (!command.empty() && !file.empty()) refuse_both("--" + side + "-bin", "--" + side + "-cmd");
  if (!file.empty()) return {file};
  if (command.empty())
    throw UsageError("--" + side + "-cmd COMMAND is missing: name the " + side + " program");
  return command_words(command);
}

/// Throws UsageError where flags do not go with two programs that are no `bench`.
void check_commands(const CompareRequest& request) {
  for (const auto& [given, flag] :
       {std::pair{!request.base.empty() || !request.new_side.empty(), "BASE NEW"},
        std::pair{!request.config.empty(), "--config"}, std::pair{!request.by.empty(), "--by"},
        std::pair{request.confirm, "--confirm"}, std::pair{request.changed, "--changed"}}) {
    if (given) refuse_both("programs that are not bench", flag);
  }
}

/// Throws UsageError where flags do not fit together.
void check_flags(const CompareRequest& request) {
  const bool files = !request.base.empty() || !request.new_side.empty();
  const bool builds = !request.base_bin.empty() || !request.new_bin.empty();
  const bool by = !request.by.empty();
  if (request.confirm) {
    if (!files) refuse_without("--confirm", "BASE and NEW");
    if (by) refuse_both("--confirm", "--by");
    if (request.base_bin.empty()) refuse_without("--confirm", "--base-bin");
    if (request.config.empty()) refuse_without("--confirm", "--config");
  } else if (files && (request.side_by_side() || builds || by)) {
    throw UsageError(
        "BASE and NEW can't be combined with --config, --by or --base-bin (add --confirm to "
        "compare the files and then measure the builds)");
  }
  if (request.changed && (files || by)) refuse_both("--changed", files ? "BASE NEW" : "--by");
  if (!files && !request.side_by_side()) {
    if (builds || by) refuse_without(by ? "--by" : "--base-bin", "--config or --read");
    refuse_nothing("compare", "BASE and NEW, or --base-bin and --config");
  }
  if (files && (request.base.empty() || request.new_side.empty()))
    throw UsageError(request.base.empty() ? "--base PATH is missing" : "--new PATH is missing");
  if (files && !request.confirm) {
    const std::string steers = request.blocks                   ? "--blocks"
                               : request.budget_s               ? "--budget"
                               : request.seed                   ? "--seed"
                               : request.slot_arguments.empty() ? ""
                                                                : request.slot_arguments.front();
    if (!steers.empty()) refuse_both("BASE NEW", steers);
  }
  if (!files && !request.metric.name.empty()) refuse_without("--metric", "BASE and NEW");
  if (!files && !request.calibration.empty()) refuse_without("--calibration", "BASE and NEW");
  if (!files && by && !request.base_bin.empty()) refuse_both("--by", "--base-bin");
  if (!files && !by && request.base_bin.empty() && !request.of_commands())
    refuse_without("--config", "--base-bin FILE or --by AXIS=A,B");
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
  if (request.of_commands()) check_commands(request);
  check_flags(request);
  // A file, as every path: only commands are looked up on the PATH.
  for (auto* file : {&request.base_bin, &request.new_bin}) {
    if (!file->empty() && file->find('/') == std::string::npos) file->insert(0, "./");
  }
  if (!request.of_commands()) return;
  request.base_words = words_of("base", request.base_cmd, request.base_bin);
  request.new_words = words_of("new", request.new_cmd, request.new_bin);
}

}  // namespace apod::cli
