#include "benchmarks/cli/compare_options.hpp"

#include <algorithm>
#include <set>

#include "benchmarks/cli/usage_error.hpp"

namespace apod::cli {
namespace {

/// "streams=1,2,4" -> the axis and its values.
void split_by(const std::string& text, CompareRequest& request) {
  const auto equals = text.find('=');
  request.by = text.substr(0, equals);
  for (auto begin = equals; begin != std::string::npos && begin < text.size();) {
    const auto end = text.find(',', begin + 1);
    request.values.push_back(
        text.substr(begin + 1, end == std::string::npos ? end : end - begin - 1));
    begin = end;
  }
  const std::set<std::string> different(request.values.begin(), request.values.end());
  if (different.size() < request.values.size()) {
    throw UsageError("--by: '" + text + "' names a value twice");
  }
  const bool named = equals != std::string::npos && !request.by.empty() &&
                     request.values.size() > 1 &&
                     std::none_of(request.values.begin(), request.values.end(),
                                  [](const auto& value) { return value.empty(); });
  if (!named) {
    throw UsageError("--by: '" + text + "' names no axis and two values (write streams=1,4)");
  }
}

void declare_files(Flags flags, CompareRequest& request) {
  flags.texts("--base", "PATH", request.base,
              "A file or folder of the base; repeat it for several");
  flags.texts("--new", "PATH", request.new_side, "The same for the new side");
  flags.share("--sigma-session", request.compare.session_deviation,
              "Spread between two sessions of one build, if no calibration has it", Zero::allowed);
  flags.metric(request.metric);
  flags.file("--calibration", request.calibration, "What bench calibrate wrote");
}

void declare_blocks(Flags flags, CompareRequest& request) {
  flags.file("--base-bin", request.base_bin, "The base's bench program");
  flags.file("--new-bin", request.new_bin, "The new one (default: this program)");
  flags.file("-c,--config", request.config, "Experiment file that both run");
  flags.flag("--confirm", request.confirm,
             "With BASE NEW: measure again what may have changed by the files, and judge it anew");
  flags.flag("--changed", request.changed,
             "Run only the cases whose code differs between the builds, or may");
  flags.value("--by", "AXIS=A,B", "Compare values of an axis instead: variant=a,b or streams=1,2,4",
              [&request](const std::string& text) { split_by(text, request); });
  flags.count("--blocks", request.blocks, 3, most_blocks,
              "Blocks that confirm a candidate (default 12)");
  flags.seconds("--budget", request.budget_s, "Time for everything; decides the number of blocks");
  flags.random_seed("--seed", request.seed, "Seed of the order");
  flags.for_runs(request.slot_arguments);
}

void declare_verdict(Flags flags, CompareRequest& request) {
  flags.share("--threshold", request.threshold, "Least change that matters (default 1%)");
  flags.alpha(request.compare.alpha);
  flags.flag("--strict", request.compare.strict,
             "The whole interval must lie beyond the threshold");
  flags.choice("--fail-on", request.fail_on,
               {{"inconclusive", FailOn::inconclusive}, {"regression", FailOn::regression}},
               "Exit with 5 if a case is inconclusive, or with 3 or 0 only (default: with 4 if "
               "nothing is decided)");
  flags.filter(request.filter);
}

void declare_output(Flags flags, CompareRequest& request) {
  using Format = report::ComparisonFormat;
  flags.files("-o,--out", request.out,
              "Report file; repeat it for several. .json .csv .md .xml .txt");
  flags.choice("--format", request.format,
               {{"console", Format::text},
                {"json", Format::json},
                {"csv", Format::csv},
                {"markdown", Format::markdown},
                {"junit", Format::junit}},
               "What standard output gets");
  flags.color(request.color);
  flags.quiet(request.quiet);
}

/// What is wrong with flags that do not fit together; empty when they do.
std::string contradiction(const CompareRequest& request) {
  const bool files = !request.base.empty() || !request.new_side.empty();
  const bool builds = !request.base_bin.empty() || !request.new_bin.empty();
  if (request.confirm) {
    if (!files) return "--confirm goes with files: name BASE and NEW";
    if (!request.by.empty()) return "--confirm measures two builds again: leave out --by";
    if (request.base_bin.empty() || request.config.empty()) {
      return "--confirm measures again: name --base-bin and --config";
    }
  } else if (files && (request.side_by_side() || builds || !request.by.empty())) {
    return "files are compared, or builds are run: BASE NEW does not go with --config, --by or "
           "--base-bin (--confirm does both)";
  }
  if (request.changed && (files || !request.by.empty())) {
    return "--changed is for two builds side by side: leave out " +
           std::string(files ? "BASE NEW" : "--by");
  }
  if (!files && !request.side_by_side()) {
    return builds || !request.by.empty()
               ? "--config FILE is missing: the experiment to run"
               : "nothing to compare: name BASE and NEW, or --base-bin and --config";
  }
  if (files && (request.base.empty() || request.new_side.empty())) {
    return request.base.empty() ? "the base is missing" : "the new side is missing";
  }
  const bool steers =
      request.blocks || request.budget_s || request.seed || !request.slot_arguments.empty();
  if (files && steers && !request.confirm)
    return "--blocks, --budget, --seed, --set, --backend, --device and --timeout are for runs, not "
           "for files";
  const bool sigma = request.compare.session_deviation.has_value();
  if (!files && !request.metric.name.empty()) return "--metric is for files: runs measure the time";
  if (!files && (sigma || !request.calibration.empty())) {
    return "--sigma-session and --calibration are for files: side by side nothing is assumed";
  }
  if (!files && !request.by.empty() && !request.base_bin.empty()) {
    return "--by compares values within one build: leave out --base-bin";
  }
  if (!files && request.by.empty() && request.base_bin.empty()) {
    return "--base-bin FILE is missing (or --by AXIS=A,B for two values of an axis)";
  }
  if (sigma && !request.calibration.empty()) {
    return "--sigma-session and --calibration say the same: leave out one of them";
  }
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
  refuse_beyond(2, request.sides);
  if (request.sides.size() == 1) {
    throw UsageError("NEW: one side is named: '" + request.sides[0] +
                     "' (bench compare BASE NEW, or --base and --new)");
  }
  if (request.sides.size() == 2) {
    request.base.push_back(request.sides[0]);
    request.new_side.push_back(request.sides[1]);
  }
  if (request.threshold) request.compare.threshold = *request.threshold;
  request.compare.threshold_given = request.threshold.has_value();
  if (request.compare.session_deviation) request.compare.session_source = "--sigma-session";
  const auto problem = contradiction(request);
  if (!problem.empty()) throw UsageError(problem);
}

}  // namespace apod::cli
