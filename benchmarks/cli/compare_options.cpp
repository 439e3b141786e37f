#include "benchmarks/cli/compare_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <set>

#include "benchmarks/cli/arguments.hpp"
#include "benchmarks/cli/choice.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/quantities.hpp"

namespace apod::cli {
namespace {

constexpr const char* compare_footer = R"(Examples:
  bench compare base.json new.json                     two results (ours, Google Benchmark's, NVBench's)
  bench compare --base old/ --new new/ --threshold 2%  folders: each file is a session
  bench compare --base-bin old/bench --new-bin new/bench --config x.yaml
                                                       two builds, measured in turn: the sharpest
  bench compare --config x.yaml --by streams=1,2,4     each value against the one before it
  bench compare base.json new.json --out r.md --out junit.xml

Exit codes: 0 good; 1 usage or I/O error; 3 a regression; 4 nothing valid to judge, or a case of the base
            is missing; 5 inconclusive, with --fail-on inconclusive; 130 interrupted.)";

/// What CLI11 fills and finish() turns into a request.
struct Words {
  std::vector<std::string> sides;
  std::vector<std::string> set;
  std::string by, budget, threshold, sigma, fail_on, backend, timeout;
  std::optional<int> device;
};

void declare_files(CLI::App& app, CompareRequest& request, Words& words) {
  app.add_option("sides", words.sides, "BASE and NEW: result files, or folders of them")
      ->type_name("BASE NEW")
      ->expected(0, 2);
  auto* files = app.add_option_group("Two sides of files");
  files->add_option("--base", request.base, "A file or folder of the base; repeat it for several")
      ->type_name("PATH")
      ->take_all()
      ->expected(1);
  files->add_option("--new", request.new_side, "The same for the new side")
      ->type_name("PATH")
      ->take_all()
      ->expected(1);
  files
      ->add_option("--sigma-session", words.sigma,
                   "Spread between two sessions of one build, where no calibration knows it")
      ->type_name("SHARE");
  files->add_option("--calibration", request.calibration, "What bench calibrate wrote")
      ->excludes("--sigma-session")
      ->type_name("FILE");
}

void declare_blocks(CLI::App& app, CompareRequest& request, Words& words) {
  auto* blocks = app.add_option_group("Side by side");
  blocks->add_option("--base-bin", request.base_bin, "The base's bench program")->type_name("FILE");
  blocks->add_option("--new-bin", request.new_bin, "The new one (default: this program)")
      ->type_name("FILE");
  blocks->add_option("-c,--config", request.config, "Experiment file that both run")
      ->type_name("FILE");
  blocks
      ->add_option("--by", words.by,
                   "Compare values of an axis instead: variant=a,b or streams=1,2,4")
      ->type_name("AXIS=A,B");
  blocks->add_option("--blocks", request.blocks, "Blocks that confirm a candidate (default 12)")
      ->check(CLI::Range(3, 1000).description(""))
      ->type_name("N");
  blocks->add_option("--budget", words.budget, "Time for everything; decides the number of blocks")
      ->type_name("TIME");
  blocks
      ->add_option_function<std::string>(
          "--seed", [&](const std::string& text) { request.seed = parse_seed("--seed", text); },
          "Seed of the order")
      ->type_name("N");
  blocks->add_option("--set", words.set, "As for a run")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->expected(1);
  blocks->add_option("--backend", words.backend, "As for a run")->type_name("auto|host|cuda");
  blocks->add_option("--device", words.device, "As for a run")->type_name("N");
  blocks->add_option("--timeout", words.timeout, "As for a run")->type_name("TIME");
}

void declare_verdict(CLI::App& app, CompareRequest& request, Words& words) {
  auto* verdict = app.add_option_group("Verdict");
  verdict->add_option("--threshold", words.threshold, "Least change that matters (default 1%)")
      ->type_name("SHARE");
  verdict
      ->add_option("--alpha", request.compare.alpha,
                   "Chance of any false regression (default 0.01)")
      ->check(CLI::Range(1e-9, 0.5).description(""))
      ->type_name("P");
  verdict->add_flag("--strict", request.compare.strict,
                    "Only what is beyond the threshold with its whole interval");
  verdict->add_option("--fail-on", words.fail_on, "Exit 5 where a case is inconclusive")
      ->check(CLI::IsMember({"inconclusive"}).description(""))
      ->type_name("inconclusive");
  verdict->add_option("--filter", request.filter, "Keep the cases whose name matches")
      ->type_name("REGEX");
}

void declare_output(CLI::App& app, CompareRequest& request) {
  auto* output = app.add_option_group("Output");
  output
      ->add_option("-o,--out", request.out,
                   "Report file; repeat it for several. .json .md .xml .txt")
      ->type_name("FILE")
      ->take_all()
      ->expected(1);
  using Format = report::ComparisonFormat;
  add_choice<Format>(*output, "--format", request.format,
                     {{"text", Format::text},
                      {"json", Format::json},
                      {"markdown", Format::markdown},
                      {"junit", Format::junit}},
                     "What standard output gets");
  add_choice<ColorChoice>(*output, "--color", request.color,
                          {{"auto", ColorChoice::automatic},
                           {"always", ColorChoice::always},
                           {"never", ColorChoice::never}},
                          "Colour in the table");
  output->add_flag("-q,--quiet", request.quiet, "No progress");
}

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
    throw CLI::ValidationError("--by", "'" + text + "' names a value twice");
  }
  const bool named = equals != std::string::npos && !request.by.empty() &&
                     request.values.size() > 1 &&
                     std::none_of(request.values.begin(), request.values.end(),
                                  [](const auto& value) { return value.empty(); });
  if (!named) {
    throw CLI::ValidationError("--by",
                               "'" + text + "' names no axis and two values (write streams=1,4)");
  }
}

void collect_slot_arguments(const Words& words, CompareRequest& request) {
  auto& all = request.slot_arguments;
  for (const auto& set : words.set) all.insert(all.end(), {"--set", set});
  if (!words.backend.empty()) all.insert(all.end(), {"--backend", words.backend});
  if (words.device) all.insert(all.end(), {"--device", std::to_string(*words.device)});
  if (!words.timeout.empty()) {
    parse_seconds("--timeout", words.timeout);
    all.insert(all.end(), {"--timeout", words.timeout});
  }
}

/// What is wrong with flags that do not fit together; empty when they do.
std::string contradiction(const CompareRequest& request, const Words& words) {
  const bool files = !request.base.empty() || !request.new_side.empty();
  const bool builds = !request.base_bin.empty() || !request.new_bin.empty();
  if (files && (request.side_by_side() || builds || !request.by.empty())) {
    return "files are compared, or builds are run: BASE NEW does not go with --config, --by or "
           "--base-bin";
  }
  if (!files && !request.side_by_side()) {
    return builds || !request.by.empty()
               ? "--config FILE is missing: the experiment that is run"
               : "nothing to compare: name BASE and NEW, or --base-bin and --config";
  }
  if (files && (request.base.empty() || request.new_side.empty())) {
    return request.base.empty() ? "the base is missing" : "the new side is missing";
  }
  const bool steers =
      request.blocks || request.budget_s || request.seed || !request.slot_arguments.empty();
  if (files && steers)
    return "--blocks, --budget, --seed, --set, --backend, --device and --timeout are for runs, not "
           "for files";
  if (!files && (!words.sigma.empty() || !request.calibration.empty())) {
    return "--sigma-session and --calibration are for files: side by side nothing is assumed";
  }
  if (!files && !request.by.empty() && !request.base_bin.empty()) {
    return "--by compares values within one build: leave out --base-bin";
  }
  if (!files && request.by.empty() && request.base_bin.empty()) {
    return "--base-bin FILE is missing (or --by AXIS=A,B for two values of an axis)";
  }
  return "";
}

void finish(CompareRequest& request, const Words& words) {
  if (words.sides.size() == 2) {
    request.base.push_back(words.sides[0]);
    request.new_side.push_back(words.sides[1]);
  } else if (words.sides.size() == 1) {
    throw CLI::ValidationError("NEW", "one side is named: '" + words.sides[0] +
                                          "' (bench compare BASE NEW, or --base and --new)");
  }
  if (!words.by.empty()) split_by(words.by, request);
  if (!words.budget.empty()) request.budget_s = parse_seconds("--budget", words.budget);
  if (!words.threshold.empty())
    request.compare.threshold = parse_share("--threshold", words.threshold);
  if (!words.sigma.empty()) {
    request.compare.session_deviation = parse_share("--sigma-session", words.sigma, Zero::allowed);
    request.compare.session_source = "--sigma-session";
  }
  request.fail_on_inconclusive = !words.fail_on.empty();
  collect_slot_arguments(words, request);
  const auto problem = contradiction(request, words);
  if (!problem.empty()) throw CLI::ValidationError(problem);
}

}  // namespace

CompareParse parse_compare(const std::vector<std::string>& arguments) {
  CompareRequest request;
  Words words;
  CLI::App app("Tells what got slower or faster, how sure that is, and why.", "bench compare");
  app.footer(compare_footer);
  app.get_formatter()->column_width(34);
  declare_files(app, request, words);
  declare_blocks(app, request, words);
  declare_verdict(app, request, words);
  declare_output(app, request);
  try {
    parse_arguments(app, arguments);
    finish(request, words);
  } catch (const CLI::Success& success) {
    return {{}, app.exit(success)};
  } catch (const CLI::ParseError& error) {
    std::cerr << "bench compare: " << error.what() << "\nbench compare --help shows the flags.\n";
    return {{}, ExitCode::failure};
  }
  return {std::move(request), 0};
}

}  // namespace apod::cli
