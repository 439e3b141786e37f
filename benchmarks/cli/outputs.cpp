#include "benchmarks/cli/outputs.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>

#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/cli/frame.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/reports.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/files/earlier_file.hpp"
#include "benchmarks/show/export/kernel_table.hpp"
#include "benchmarks/show/export/perfetto.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

show::Shown shown_by(const Options& options) {
  return {options.columns, options.explain, options.timers, {}, {}, options.fail_on};
}

/// A guess on the safe side: raw samples are most of a result.
std::uint64_t result_bytes(const Plan* plan) {
  std::uint64_t bytes = 1 << 16;
  if (plan == nullptr) return bytes;
  for (const auto& c : plan->cases)
    bytes += 2000 + static_cast<std::uint64_t>(plan->experiment_of(c).measure.processes) * 8000;
  return bytes;
}

/// "x.profile.json" and the like, behind whatever link: what --profile may replace.
bool is_profile_name(const std::string& path) {
  std::error_code error;
  return fs::weakly_canonical(path, error).stem().extension() == ".profile";
}

/// The files that the run reads, and what each is.
std::vector<std::pair<std::string, std::string>> inputs_of(const Options& options,
                                                           const Plan* plan) {
  std::vector<std::pair<std::string, std::string>> inputs{
      {find_config(options.config), "the experiment file itself"}};
  if (!options.only.empty()) inputs.emplace_back(options.only, "the list of --only");
  if (plan == nullptr) return inputs;
  for (const auto& experiment : plan->experiments) {
    if (experiment.data.kind != DataSpec::Kind::file) continue;
    inputs.emplace_back(experiment.data.file, "the data of experiment '" + experiment.name + "'");
  }
  return inputs;
}

/// What is wrong with the place, whatever is written there; empty when nothing is.
std::string place_problem(const std::string& path, const Options& options, const Plan* plan) {
  for (const auto& [input, what] : inputs_of(options, plan)) {
    if (same_file(path, input)) return path + ": is " + what;
  }
  try {
    os::check_writable(destination(path, options), result_bytes(plan));
  } catch (const std::exception& bad) {
    return bad.what();
  }
  return "";
}

/// What is wrong with the path itself; empty when nothing is.
std::string problem_of(const std::string& path, const Options& options, const Plan* plan) {
  std::error_code error;
  if (options.profile && fs::is_regular_file(path, error) && !is_profile_name(path)) {
    return path +
           ": --profile makes only a few runs, so it does not replace a result (name the output " +
           fs::path(path).stem().string() + ".profile" + fs::path(path).extension().string() + ")";
  }
  auto problem = place_problem(path, options, plan);
  if (!problem.empty()) return problem;
  try {
    show::format_of(path);  // an extension that means nothing is found now, not at the end
  } catch (const std::exception& bad) {
    return bad.what();
  }
  return "";
}

/// The traces of all cases on one time line.
enum class TraceForm : std::uint8_t { perfetto, kernels_csv, kernels_text };

/// What the extension asks for; nothing where it means nothing.
std::optional<TraceForm> trace_form(const std::string& path) {
  const auto extension = fs::path(path).extension();
  if (extension == ".json") return TraceForm::perfetto;
  if (extension == ".csv") return TraceForm::kernels_csv;
  if (extension == ".txt") return TraceForm::kernels_text;
  return std::nullopt;
}

void write_trace_file(const std::string& path, const Result& result) {
  using Form = exports::KernelTableForm;
  const auto form = trace_form(path);
  if (form != TraceForm::perfetto) {
    const exports::KernelTableStyle style{
        form == TraceForm::kernels_csv ? Form::csv : Form::spaces, {"all"}, 0};
    write_output(os::Destination::named(path), std::nullopt,
                 [&](std::ostream& out) { exports::write_case_kernels(out, result, style); });
    return;
  }
  std::vector<exports::NamedTrace> traces;
  for (const auto& [index, trace] : result.traces)
    traces.push_back({result.plan.cases.at(index).id, &trace});
  const auto& device = result.environment.device;
  exports::TrackNames names;
  names.devices[static_cast<std::uint32_t>(device.index)] = device.name;
  write_output(os::Destination::named(path), std::nullopt,
               [&](std::ostream& out) { exports::write_perfetto(out, traces, names); });
}

}  // namespace

os::Destination destination(const std::string& path, const Options& options) {
  const bool is_named =
      path == options.trace_out || std::ranges::find(options.out, path) != options.out.end();
  return is_named ? os::Destination::named(path) : os::Destination::derived(path);
}

std::vector<std::string> output_paths(const Options& options, const Plan* plan) {
  if (!options.out.empty() || plan == nullptr) return options.out;
  // A few runs under a profiler must not take the place of a study.
  const auto name = plan->name + (options.profile ? ".profile.json" : ".json");
  return {default_folder() + name};
}

std::vector<std::string> output_problems(const std::vector<std::string>& paths,
                                         const Options& options, const Plan* plan) {
  std::vector<std::string> problems;
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    const bool twice = std::any_of(
        paths.begin(), path, [&](const std::string& earlier) { return same_file(earlier, *path); });
    auto problem = twice ? *path + ": is named twice" : problem_of(*path, options, plan);
    // Without the flag, the path is of the experiment file's name.
    if (problem.empty()) continue;
    problems.push_back(options.out.empty() ? problem + " (to choose another file: --out FILE)"
                                           : "--out: " + problem);
  }
  const auto& trace = options.trace_out;
  if (trace.empty()) return problems;
  const bool twice =
      std::ranges::any_of(paths, [&](const std::string& other) { return same_file(other, trace); });
  auto problem =
      twice ? trace + ": --out names the same file" : place_problem(trace, options, plan);
  if (problem.empty() && !trace_form(trace)) {
    problem =
        trace +
        ": the name must end in .json (for ui.perfetto.dev), .csv or .txt (a table of the kernels)";
  }
  if (!problem.empty()) problems.push_back("--trace-out: " + problem);
  return problems;
}

bool some_are_writable(const std::vector<std::string>& paths, const Options& options) {
  return std::ranges::any_of(paths, [&](const std::string& path) {
    try {
      os::check_writable(destination(path, options), result_bytes(nullptr));
      return true;
    } catch (const std::exception&) {
      return false;
    }
  });
}

std::string journal_path(const std::string& output) {
  std::error_code error;
  const auto status = fs::status(output, error);
  const bool ordinary = !fs::exists(status) || fs::is_regular_file(status);
  if (!ordinary) return "";
  // Two names of one file have one journal, which lies next to the file.
  return os::written_file(output) + ".journal";
}

std::vector<os::Claim> claim_outputs(const std::vector<std::string>& outputs,
                                     const std::string& but) {
  std::vector<os::Claim> claims;
  for (const auto& output : outputs) {
    const auto path = journal_path(output);
    if (!path.empty() && path != but) claims.emplace_back(path);
  }
  return claims;
}

bool anything_traced(const Result& result) {
  return std::ranges::any_of(result.traces, [](const CaseTrace& seen) {
    return !seen.trace.activities.empty() || !seen.trace.calls.empty();
  });
}

bool write_results(const std::vector<std::string>& paths, const Options& options,
                   const Result& result) {
  // A run that was narrowed or interrupted does not take the place of one that found more. A
  // file of another day stays, to be compared with, unless the user named it.
  auto report = show::report_of(result, shown_by(options));
  if (options.out.empty()) {
    report.is_less_than = [&result, is_less = report.is_less_than](const std::string& path) {
      return is_less(path) || files::is_of_another_day(path, result);
    };
  }
  std::vector<os::Destination> all;
  for (const auto& path : paths) all.push_back(destination(path, options));
  const bool good = write_reports(all, report);
  if (options.trace_out.empty() || !anything_traced(result)) return good;
  try {
    write_trace_file(options.trace_out, result);
  } catch (const std::exception& error) {
    say(error.what());
    return false;
  }
  return good;
}

void print_result(std::ostream& out, const Options& options, const Result& result) {
  show::write(out, show::report_of(result, shown_by(options)), options.format,
              console_style(options.color));
}

}  // namespace apod::cli
