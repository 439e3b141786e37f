#include "benchmarks/run/command_runner.hpp"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "benchmarks/base/os/child.hpp"
#include "benchmarks/base/os/descriptor.hpp"
#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/foreign_result.hpp"
#include "benchmarks/files/read_figures.hpp"
#include "benchmarks/files/read_nvidia_tests.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "benchmarks/look/trace/profile_of.hpp"
#include "benchmarks/look/trace/timeline.hpp"
#include "benchmarks/look/trace/window.hpp"
#include "benchmarks/run/sampler.hpp"

namespace apod::run {

namespace {

struct Seen {
  Trace trace;
  DeviceFacts device;
};

/// Each note once, however many processes have it.
void note(Measurement& measurement, const std::string& text) {
  auto& notes = measurement.notes;
  if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
}

/// Of the busiest device; none where nothing ran on any.
std::optional<Seen> traced(const record::WorkItem& item, const std::string& library,
                           const TracedRun& run, Measurement& measurement) {
  const os::TemporaryFolder parts;
  run(item, recording_variables({.library = library}, parts.path()));
  auto recording = recorded_in(parts.path());
  for (const auto& text : recording.trace.notes) note(measurement, text);
  const auto devices = trace::devices_of(recording.trace);
  if (devices.empty()) return std::nullopt;
  Seen seen;
  for (const auto& one : recording.devices) {
    if (static_cast<std::uint32_t>(one.index) == devices.front()) seen.device = one;
  }
  if (devices.size() == 1) {
    seen.trace = std::move(recording.trace);
    return seen;
  }
  note(measurement, "traced on " + std::to_string(devices.size()) +
                        " devices: the facts are from the busiest device");
  seen.trace = trace::on_device(std::move(recording.trace), devices.front());
  return seen;
}

std::string why_none(const record::WorkItem& item, const Tracing& tracing) {
  const auto reads = item.experiment.command->reads;
  if (item.experiment.command->finds_cases() &&
      (reads != Reads::google || item.info.wanted.empty())) {
    return "one process of this command measures several cases";
  }
  return tracing.why_none;
}

}  // namespace

void trace_command(const record::WorkItem& item, const Tracing& tracing, const TracedRun& run,
                   const CaseHooks& hooks, Measurement& measurement) {
  const auto why = why_none(item, tracing);
  if (!why.empty()) return measurement.notes.push_back("nothing traced: " + why);
  if (!item.experiment.command->finds_cases()) {
    auto seen = traced(item, tracing.library, run, measurement);
    if (!seen) return;
    measurement.facts = trace::facts_of(seen->trace, seen->device);
    measurement.kernel_code = trace::kernel_code_of(seen->trace);
    measurement.profile = trace::profile_of(seen->trace);
    if (item.keep_trace) hooks.traced(std::move(seen->trace));
    return;
  }
  for (const auto& name : item.info.wanted) {
    auto alone = item;
    alone.info.wanted = {name};
    const auto seen = traced(alone, tracing.library, run, measurement);
    if (!seen) return;
    measurement.found.push_back({.name = name,
                                 .facts = trace::facts_of(seen->trace, seen->device),
                                 .kernel_code = trace::kernel_code_of(seen->trace),
                                 .profile = trace::profile_of(seen->trace)});
  }
}

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A line of a program's last words.
constexpr std::size_t longest_words = 300;
// The system allows more, but not in every environment.
constexpr std::size_t longest_filter = 100'000;

/// Why a command has no counters or no energy. `expect` looks for the first two words.
std::string note_of(record::Pass pass) {
  return std::string(pass == record::Pass::counters ? "nothing counted" : "no energy") +
         ": a command runs in its own process";
}

/// An expression that names these alone.
std::string expression_of(const std::vector<std::string>& names) {
  std::string all;
  for (const auto& name : names) {
    all += all.empty() ? "^(" : "|";
    all += text::literal(name);
  }
  return all + ")$";
}

/// One process of a case, from its empty folder to what it said.
class CommandProcess {
 public:
  /// With the variables of a recording it is traced, and what it says is not read.
  CommandProcess(const record::WorkItem& item, const CaseHooks& hooks, os::Group group,
                 std::string gpu, std::string scratch, Measurement& measurement,
                 Variables recording = {})
      : item_(item),
        spec_(*item.experiment.command),
        hooks_(hooks),
        group_(group),
        gpu_(std::move(gpu)),
        scratch_(std::move(scratch)),
        measurement_(measurement),
        recording_(std::move(recording)) {}

  void run() {
    // A file there comes from an earlier process, and would be read as output of this process.
    if (!fs::create_directory(scratch_)) throw std::runtime_error(scratch_ + ": exists already");
    try {
      if (!spec_.setup.empty()) {
        stage("setup");
        refuse_failure(start(spec_.setup, {}), {0});
      }
      measure();
    } catch (...) {
      const auto first = std::current_exception();
      try {
        clean_up();
      } catch (const std::runtime_error& error) {
        measurement_.notes.push_back(error.what());
      }
      std::rethrow_exception(first);
    }
    clean_up();
  }

 private:
  void stage(const std::string& name) {
    measurement_.stage = name;
    hooks_.stage(name);
  }

  std::string filled(const std::string& text) const {
    return filled_in(text, item_.info.params, scratch_);
  }

  std::vector<std::string> filled(const std::vector<std::string>& texts) const {
    std::vector<std::string> all;
    for (const auto& text : texts) all.push_back(filled(text));
    return all;
  }

  os::ProgramEnd start(const std::vector<std::string>& texts,
                       const std::vector<std::string>& more) {
    auto words = filled(texts);
    words.insert(words.end(), more.begin(), more.end());
    // What a run that was cancelled has begun is cleaned up all the same.
    const bool stops = measurement_.stage != "cleanup";
    os::ProgramOptions options{
        .cancelled = [&] { return stops && hooks_.cancelled(); },
        .timeout = std::chrono::ceil<milliseconds>(std::chrono::duration<double>(timeout_s())),
        .group = group_};
    constexpr const char* visible = "CUDA_VISIBLE_DEVICES";
    if (!gpu_.empty() && !spec_.env.contains(visible))
      options.variables.emplace_back(visible, gpu_);
    for (const auto& [name, value] : spec_.env) options.variables.emplace_back(name, filled(value));
    if (measurement_.stage == "trace")
      options.variables.insert(options.variables.end(), recording_.begin(), recording_.end());
    options.folder = filled(spec_.cwd);
    if (!options.folder.empty() && !fs::is_directory(options.folder)) {
      throw std::runtime_error(options.folder +
                               ": the working folder of the command does not exist");
    }
    printed_.clear();
    if (measurement_.stage == "run" && reads_what_it_prints()) {
      options.on_line = [this](std::string_view line) { take(line); };
      const bool both = spec_.reads == Reads::regex || spec_.reads == Reads::process;
      options.lines = both ? os::Lines::both : os::Lines::output;
    }
    os::Orphans orphans;
    os::ProgramEnd end;
    try {
      end = os::run_program(words, options);
    } catch (...) {
      orphans.end();
      throw;
    }
    left_behind_ += orphans.end();
    if (stops && hooks_.cancelled()) throw Cancelled{};
    return end;
  }

  double timeout_s() const { return item_.experiment.measure.timeout_s; }

  /// Whether reading may go on: it has as long as the program had.
  void ask() const {
    if (hooks_.cancelled()) throw Cancelled{};
    if (Clock::now() < end_of_reading_) return;
    throw std::runtime_error("the output could not be read within " +
                             text::format_quantity(timeout_s(), Unit::seconds) +
                             " (measure: timeout)");
  }

  bool reads_what_it_prints() const {
    const bool prints = spec_.reads != Reads::process && spec_.reads != Reads::google &&
                        spec_.reads != Reads::nvbench;
    return !spec_.match.empty() || (prints && spec_.output.empty());
  }

  void take(std::string_view line) {
    if (printed_.size() + line.size() >= files::longest_output) {
      throw std::runtime_error("the command printed more than " +
                               std::to_string(files::longest_output >> 20) + " MiB");
    }
    printed_.append(line) += '\n';
  }

  void refuse_failure(const os::ProgramEnd& end, const std::vector<int>& good) const {
    if (end.timed_out) {
      throw std::runtime_error("did not end within " +
                               text::format_quantity(timeout_s(), Unit::seconds) +
                               " (measure: timeout)");
    }
    if (std::find(good.begin(), good.end(), end.exit_code) != good.end()) return;
    std::string how = "exit code " + std::to_string(end.exit_code);
    const int number = end.exit_code - 128;
    if (number > 0 && number < NSIG) how += std::string(" (") + ::strsignal(number) + ")";
    auto words = os::last_line(end.errors.empty() ? printed_ : end.errors);
    if (words.size() > longest_words) words.resize(longest_words);
    throw std::runtime_error(how + (words.empty() ? "" : "; last line: " + text::printable(words)));
  }

  void measure() {
    if (!recording_.empty()) {
      stage("trace");
      return refuse_failure(start(spec_.words, arguments_for_reading()), spec_.exit);
    }
    stage("run");
    const os::FileWatch watch(told_file());
    const auto end = start(spec_.words, arguments_for_reading());
    note_usage(end.usage);
    refuse_failure(end, spec_.exit);
    end_of_reading_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(timeout_s()));
    if (!spec_.match.empty()) check_match();
    stage("read");
    read(end.usage, watch);
  }

  void note_usage(const os::Usage& usage) {
    auto& facts = measurement_.facts;
    facts["wall_time"] = usage.wall_s;
    // What a process used for all the cases that it tells of is no fact of any of them.
    if (spec_.finds_cases()) return;
    facts["user_time"] = usage.user_s;
    facts["system_time"] = usage.system_s;
    facts["peak_bytes"] = usage.peak_bytes;
  }

  void check_match() const {
    const text::Pattern pattern(spec_.match);
    for (std::size_t begin = 0; begin < printed_.size();) {
      const auto end = printed_.find('\n', begin);
      if (pattern.is_in(printed_.substr(begin, end - begin), [this] { ask(); })) return;
      begin = end + 1;
    }
    throw std::runtime_error("no line of its output matches '" + spec_.match +
                             "' (success: match)" + files::what_was_printed(printed_));
  }

  /// Where a program writes its results if the flag asks for it.
  std::string result_file() const { return scratch_ + "/" + "bench-result.json"; }

  std::vector<std::string> arguments_for_reading() const {
    if (spec_.reads == Reads::nvbench) return {"--jsonbin", result_file()};
    if (spec_.reads == Reads::nvbandwidth) return {"--json"};
    if (spec_.reads != Reads::google) return {};
    std::vector<std::string> words{"--benchmark_out=" + result_file(),
                                   "--benchmark_out_format=json"};
    const auto filter = expression_of(item_.info.wanted);
    const bool some = !item_.info.wanted.empty() && filter.size() < longest_filter;
    if (some) words.push_back("--benchmark_filter=" + filter);
    return words;
  }

  /// The file in which it tells its result; empty where it prints it.
  std::string told_file() const {
    if (spec_.reads == Reads::google || spec_.reads == Reads::nvbench) return result_file();
    return spec_.output.empty() ? ""
                                : (fs::path(filled(spec_.cwd)) / filled(spec_.output)).string();
  }

  /// Throws std::runtime_error unless this process wrote the file, all of it: another one's result
  /// is not this one's.
  void check_told(const std::string& file, const os::FileWatch& watch) const {
    std::error_code unsaid;  // who reads it says it
    const auto status = fs::status(file, unsaid);
    // Reading a pipe without a writer, or a terminal, would wait.
    if (fs::is_other(status)) throw std::runtime_error("is not a regular file");
    if (const auto why = watch.why_older(); !why.empty()) throw std::runtime_error(why);
  }

  std::string output(const os::FileWatch& watch) const {
    if (spec_.output.empty()) return printed_;
    const auto file = told_file();
    try {
      check_told(file, watch);
      return os::read_file(file, files::longest_output);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(filled(spec_.output) + ": " + error.what());
    }
  }

  void read(const os::Usage& usage, const os::FileWatch& watch) {
    switch (spec_.reads) {
      case Reads::process:
        measurement_.samples_s.push_back(usage.wall_s);
        return;
      case Reads::regex:
      case Reads::json: {
        if (spec_.finds_cases()) {
          measurement_.found = files::read_json_cases(spec_, output(watch), measurement_.notes);
          return;
        }
        auto figures = files::read_figures(spec_, output(watch), [this] { ask(); });
        auto time = figures.extract("time");
        if (time.empty()) {
          measurement_.samples_s.push_back(usage.wall_s);
        } else {
          const auto& samples = time.mapped();
          measurement_.samples_s.insert(measurement_.samples_s.end(), samples.begin(),
                                        samples.end());
        }
        for (const auto& [name, values] : figures) measurement_.facts[name] = stats::mean(values);
        return;
      }
      case Reads::google:
      case Reads::nvbench:
        if (!fs::exists(result_file())) {
          throw std::runtime_error(
              "the program wrote no result: was it built with " +
              std::string(spec_.reads == Reads::google ? "Google Benchmark" : "NVBench") + "?");
        }
        check_told(result_file(), watch);
        measurement_.found = files::read_benchmarks(result_file(), measurement_.notes);
        return;
      case Reads::nccl_tests:
        measurement_.found = files::read_nccl_tests(output(watch));
        return;
      case Reads::nvbandwidth:
        measurement_.found = files::read_nvbandwidth(output(watch), measurement_.notes);
        return;
    }
  }

  /// It was not what is measured: where `cleanup` goes wrong, that is said and fails nothing. A
  /// scratch folder that can't be emptied fails the case.
  void clean_up() {
    const auto reached = measurement_.stage;
    if (!spec_.cleanup.empty()) {
      try {
        stage("cleanup");
        refuse_failure(start(spec_.cleanup, {}), {0});
      } catch (const std::runtime_error& error) {
        measurement_.notes.push_back(std::string("cleanup: ") + error.what());
      }
    }
    measurement_.stage = reached;
    if (left_behind_ > 0)
      measurement_.notes.push_back("the command left processes running; bench ended them");
    os::remove_folder(scratch_);
  }

  const record::WorkItem& item_;
  const CommandSpec& spec_;
  const CaseHooks& hooks_;
  const os::Group group_;
  const std::string gpu_;
  const std::string scratch_;
  Measurement& measurement_;
  const Variables recording_;
  std::string printed_;  ///< by the program that was started last
  Clock::time_point end_of_reading_{};
  std::size_t left_behind_ = 0;
};

}  // namespace

std::string CommandRunner::fresh_scratch() {
  return folder_.path() + "/scratch-" + std::to_string(++processes_);
}

Measurement CommandRunner::run(const record::WorkItem& item, const CaseHooks& hooks) {
  using record::Pass;
  Measurement measurement{
      .case_index = item.info.index, .case_id = item.info.id, .process = item.process};
  measurement.stage = std::string(to_string(item.pass));
  if (item.pass == Pass::check) return measurement;
  if (item.pass == Pass::trace) {
    try {
      const TracedRun run_traced = [&](const record::WorkItem& one, Variables recording) {
        CommandProcess(one, hooks, group_, gpu_, fresh_scratch(), measurement, std::move(recording))
            .run();
      };
      trace_command(item, tracing_, run_traced, hooks, measurement);
    } catch (const std::exception& error) {
      measurement.failed = error.what();
    }
    return measurement;
  }
  if (item.pass != Pass::measure && item.pass != Pass::profile) {
    measurement.notes.push_back(note_of(item.pass));
    return measurement;
  }
  measurement.launch = std::string(to_string(item.experiment.command->reads));
  measurement.verification.passed = true;
  const auto begin = Clock::now();
  others_.look();  // from here on
  try {
    for (int i = 0; i < std::max(item.profile_runs, 1); ++i)
      CommandProcess(item, hooks, group_, gpu_, fresh_scratch(), measurement).run();
    record::check(measurement);  // a program may print any number
  } catch (const std::exception& error) {
    measurement.failed = error.what();
    measurement.samples_s.clear();
    measurement.found.clear();
    measurement.verification.passed = false;
  }
  if (const auto load = others_.look()) measurement.facts["other_load"] = *load;
  measurement.wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
  return measurement;
}

}  // namespace apod::run
