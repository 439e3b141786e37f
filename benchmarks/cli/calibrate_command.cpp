#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <random>
#include <thread>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/calibration_files.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/session_progress.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/cli/trust.hpp"
#include "benchmarks/files/read_side.hpp"
#include "benchmarks/files/small_file.hpp"
#include "benchmarks/judge/calibrate.hpp"
#include "benchmarks/judge/other_processes.hpp"
#include "benchmarks/judge/side_text.hpp"
#include "benchmarks/run/slot.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

constexpr int default_sessions = 5;
constexpr int default_processes = 5;
constexpr double default_pause_s = 10;

/// Waits, but not for a signal.
void pause(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!stop_asked() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

/// Throws std::runtime_error where `path` does not end in .json, or is a file that is something
/// else than a calibration.
void keep_other_files(const std::string& path) {
  if (fs::path(path).extension() != ".json") {
    throw std::runtime_error(path +
                             ": a calibration is a JSON file: choose a name that ends in .json");
  }
  if (!fs::is_regular_file(path)) return;
  os::InputFile file(path);
  std::string head(256, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  const bool is_empty = file.gcount() == 0;
  if (!is_empty && head.find("apod_calibration") == std::string::npos) {
    throw std::runtime_error(
        path + ": this file exists and is not a calibration (remove it, or name another file)");
  }
}

class CalibrateCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(bench compare finds the result in results/calibrations, and uses it for the same cases on the same machine.

Examples:
  bench calibrate --config my.yaml   five sessions now
  bench calibrate runs/              from existing results, each a session

Exit codes: 0 good; 1 usage or I/O error, or a session gave no result; 4 too little was measured;
            130 interrupted. An incomplete calibration with two sessions or more is kept as FILE.partial.)"};
  }
  void declare(Flags& flags) override {
    flags.words(
        "results", "PATH",
        "Result files, or folders of them, instead of new runs; each file counts as one session",
        paths_);
    flags.file("-c,--config", config_, "Experiment file to run");
    flags.count("--sessions", sessions_, 2, 1000, "Number of sessions (default 5)");
    flags.count("--processes", processes_, 2, 1000, "New processes per session (default 5)");
    flags.seconds("--pause", pause_s_, "Pause between two sessions (default 10s)", Zero::allowed);
    flags.metric(metric_);
    flags.share("--threshold", threshold_, "Smallest change that matters (default 1%)");
    flags.alpha(alpha_);
    flags.for_runs(slot_arguments_);
    flags.filter(filter_);
    flags.file("-o,--out", out_, "File to write");
    flags.quiet(quiet_);
  }
  void settle() override {
    if (paths_.empty() && config_.empty())
      refuse_nothing("calibrate", "an experiment with --config FILE, or result files");
    const std::string of_runs = !config_.empty()          ? "--config"
                                : sessions_               ? "--sessions"
                                : processes_              ? "--processes"
                                : pause_s_                ? "--pause"
                                : slot_arguments_.empty() ? ""
                                                          : slot_arguments_.front();
    if (!paths_.empty() && !of_runs.empty()) refuse_both("result files", of_runs);
    if (paths_.empty() && !metric_.name.empty()) refuse_without("--metric", "result files");
    if (!metric_.name.empty() && out_.empty()) refuse_without("--metric", "--out FILE");
    if (!filter_.empty())
      slot_arguments_.insert(slot_arguments_.end(), {"--filter", filter_.expression()});
  }
  Files files() const override {
    Files files{{}, {{"--out", out_, keep_other_files}}};
    if (!paths_.empty()) files.inputs = files::result_files(paths_).paths();
    if (!config_.empty()) files.inputs.push_back(find_config(config_));
    return files;
  }
  int run() override;

 private:
  Side read() const;
  Side measure();
  std::vector<std::string> notes_on(const Side& side, const Calibration& calibration) const;
  void write(const Calibration& calibration) const;

  std::string config_;
  std::vector<std::string> paths_;
  files::Metric metric_{.only_times = true};
  std::optional<int> sessions_;
  std::optional<int> processes_;
  std::optional<double> pause_s_;
  double threshold_ = 0.01;
  double alpha_ = 0.01;
  std::vector<std::string> slot_arguments_;
  text::Pattern filter_;
  std::string out_;
  bool quiet_ = false;
  std::string lost_;  ///< why sessions are missing; empty where none is
};

/// The sessions in files.
Side CalibrateCommand::read() const {
  auto side = files::read_side(paths_, filter_, files::Samples::spread, metric_);
  for (const auto& note : side.notes) say(note);
  for (const auto& line : judge::differing_machines(side)) {
    throw std::runtime_error("the sessions come from different machines, " + line +
                             ": calibrate one machine at a time");
  }
  return side;
}

/// All finished sessions as one side.
Side CalibrateCommand::measure() {
  const int sessions = sessions_.value_or(default_sessions);
  std::vector<std::string> arguments{"--config", find_config(config_)};
  arguments.insert(arguments.end(), slot_arguments_.begin(), slot_arguments_.end());
  auto progress = progress_on_stderr(quiet_, static_cast<std::size_t>(sessions), 0);
  run::Slots slots(arguments, [&] { return stop_after_tick(progress); });
  std::random_device random;
  for (int session = 1; session <= sessions && !stop_asked(); ++session) {
    const auto name = "session " + std::to_string(session);
    progress.running(name, "measuring");
    if (session > 1) pause(pause_s_.value_or(default_pause_s));
    try {
      slots.add_session(own_program(), processes_.value_or(default_processes), random());
    } catch (const std::runtime_error& error) {
      lost_ = error.what();
      break;
    }
    if (!stop_asked()) progress.finished(name, "measured");
  }
  if (stop_asked()) lost_ = "interrupted";
  return slots.sessions();
}

int CalibrateCommand::run() {
  if (!config_.empty()) {
    if (const auto refused = refuse_untrusted(config_, slot_arguments_)) return *refused;
  }
  auto claimed = out_;
  if (out_.empty()) {
    // The name of the default is known only afterwards, its folder and experiment file at once.
    Calibration of_file;
    if (!config_.empty()) of_file.config = find_config(config_);
    claimed = calibration_path(of_file);
    make_place_for(claimed);
  }
  const bool is_long = !out_.empty() || !config_.empty();
  const auto claims = claim_outputs(is_long ? std::vector{claimed} : std::vector<std::string>{});
  watch_signals();
  const auto side = paths_.empty() ? measure() : read();
  if (!lost_.empty()) say(lost_);
  const int failed = stop_asked() ? ExitCode::interrupted : ExitCode::failure;
  if (side.sessions.size() < 2) {
    return fail(paths_.empty() ? "fewer than two sessions were finished; nothing was written"
                               : "a calibration needs two sessions, and each file is one session: "
                                 "name another file; nothing was written",
                failed);
  }
  try {
    auto calibration = judge::calibrate(side, alpha_);
    calibration.threshold = threshold_;
    calibration.notes = notes_on(side, calibration);
    write(calibration);
  } catch (const judge::NothingToCalibrate& error) {
    return fail(std::string(error.what()) + "; nothing was written", ExitCode::nothing_to_judge);
  }
  return lost_.empty() ? ExitCode::success : failed;
}

std::vector<std::string> CalibrateCommand::notes_on(const Side& side,
                                                    const Calibration& calibration) const {
  std::vector<std::string> notes{judge::span_text(side)};
  if (judge::has_repetitions(side)) {
    notes.push_back(judge::replicates_text(side) +
                    " count as processes, so the spread between processes is unknown");
  }
  if (judge::count_builds(side) > 1) {
    notes.push_back(
        fmt::format("the sessions come from {} commits: their spread includes the differences "
                    "between the commits",
                    judge::count_builds(side)));
  }
  if (calibration.cases.size() < side.cases.size()) {
    notes.push_back(
        fmt::format("{} cases failed or are missing in a session: bench leaves them out",
                    side.cases.size() - calibration.cases.size()));
  }
  const auto others = judge::others_beside(side);
  if (!others.empty()) {
    notes.push_back("The machine was not quiet: " + others +
                    ". So comparisons with this calibration may miss changes.");
  }
  if (!lost_.empty()) {
    notes.push_back(fmt::format("Incomplete: {} of {} sessions", side.sessions.size(),
                                sessions_.value_or(default_sessions)));
  }
  return notes;
}

void CalibrateCommand::write(const Calibration& calibration) const {
  auto path = out_.empty() ? calibration_path(calibration) : out_;
  // No comparison finds it by itself, and no whole calibration is replaced by it.
  if (!lost_.empty()) path += ".partial";
  write_output(path == out_ ? os::Destination::named(path) : os::Destination::derived(path),
               files::FileKind::calibration,
               [&](std::ostream& out) { files::write_calibration(out, calibration); });
  show::write(std::cout, show::report_of(calibration), show::Format::console,
              console_style(ColorChoice::automatic));
  std::cout << "Wrote " << text::printable(path)
            << (lost_.empty() ? "" : " (for use with --calibration)") << '\n';
}

}  // namespace

std::unique_ptr<Command> make_calibrate() {
  return std::make_unique<CalibrateCommand>();
}

}  // namespace apod::cli
