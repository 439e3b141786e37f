#include "benchmarks/cli/calibrate_command.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>
#include <thread>

#include "benchmarks/cli/arguments.hpp"
#include "benchmarks/cli/calibrations.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/quantities.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/compare/calibrate.hpp"
#include "benchmarks/compare/other_processes.hpp"
#include "benchmarks/os/atomic_file.hpp"
#include "benchmarks/report/calibration.hpp"
#include "benchmarks/run/slot.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* calibrate_prefix = "bench calibrate: ";
constexpr const char* calibrate_footer =
    R"(Runs this build against itself and tells how far apart two measurements lie. bench compare finds what it
writes in results/calibrations, and uses it for files of the same machine and cases.

Exit codes: 0 good; 1 usage or I/O error, or a session gave no result; 4 too little was measured;
            130 interrupted. Of an incomplete calibration two sessions or more are written as FILE.partial.)";

struct CalibrateRequest {
  std::string config;
  int sessions = 5;
  int processes = 5;
  double pause_s = 10;
  double threshold = 0.01;
  double alpha = 0.01;
  std::vector<std::string> slot_arguments;
  std::string out;
  bool quiet = false;
};

void declare(CLI::App& app, CalibrateRequest& request) {
  app.add_option("-c,--config", request.config, "Experiment file")->type_name("FILE")->required();
  app.add_option("--sessions", request.sessions, "Sessions (default 5)")
      ->check(CLI::Range(2, 1000).description(""))
      ->type_name("N");
  app.add_option("--processes", request.processes, "Fresh processes a session (default 5)")
      ->check(CLI::Range(2, 1000).description(""))
      ->type_name("N");
  app.add_option_function<std::string>(
         "--pause",
         [&](const std::string& text) {
           request.pause_s = parse_seconds("--pause", text, Zero::allowed);
         },
         "Between two sessions (default 10s)")
      ->type_name("TIME");
  app.add_option_function<std::string>(
         "--threshold",
         [&](const std::string& text) { request.threshold = parse_share("--threshold", text); },
         "What a comparison is to show (default 1%)")
      ->type_name("SHARE");
  app.add_option("--alpha", request.alpha, "As for bench compare (default 0.01)")
      ->check(CLI::Range(1e-9, 0.4999).description(""))
      ->type_name("P");
  const auto passed_on = [&](const char* flag, const char* type) {
    app.add_option_function<std::vector<std::string>>(
           flag,
           [&request, flag](const std::vector<std::string>& values) {
             for (const auto& value : values) {
               request.slot_arguments.insert(request.slot_arguments.end(), {flag, value});
             }
           },
           "As for a run")
        ->type_name(type)
        ->take_all()
        ->expected(1);
  };
  passed_on("--set", "KEY=VALUE");
  passed_on("--filter", "REGEX");
  passed_on("--backend", "auto|host|cuda");
  passed_on("--device", "N");
  app.add_option("-o,--out", request.out, "File to write")->type_name("FILE");
  app.add_flag("-q,--quiet", request.quiet, "No progress");
}

/// Waits, but not for a signal.
void pause(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!stop_asked() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

/// All finished sessions as one side. `lost` says why the others are not there; empty where none is
/// missing.
Side measure(const CalibrateRequest& request, std::string& lost) {
  std::vector<std::string> arguments{"--config", find_config(request.config)};
  arguments.insert(arguments.end(), request.slot_arguments.begin(), request.slot_arguments.end());
  run::Slots slots(arguments, stop_asked);
  std::random_device random;
  for (int session = 0; session < request.sessions && !stop_asked(); ++session) {
    if (session > 0) pause(request.pause_s);
    if (!request.quiet) {
      std::cerr << calibrate_prefix << "session " << session + 1 << " of " << request.sessions
                << '\n';
    }
    try {
      slots.add_session(own_program(), request.processes, random());
    } catch (const std::runtime_error& error) {
      lost = error.what();
      break;
    }
  }
  if (stop_asked()) lost = "interrupted";
  return slots.sessions();
}

/// Throws std::runtime_error where `path` is a file that is something else than a calibration.
void keep_other_files(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(256, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  const bool is_empty = file.gcount() == 0;
  if (!is_empty && head.find("apod_calibration") == std::string::npos) {
    throw std::runtime_error("--out: " + path +
                             ": is there and is no calibration (remove it, or name another file)");
  }
}

int run(const CalibrateRequest& request) {
  if (!request.out.empty()) keep_inputs({{"--out", request.out}}, {find_config(request.config)});
  // The name of the default is known only afterwards, its folder at once.
  const auto place = request.out.empty() ? calibration_path({}) : request.out;
  if (request.out.empty() && fs::path(place).has_parent_path()) {
    fs::create_directories(fs::path(place).parent_path());
  }
  if (fs::is_regular_file(place)) keep_other_files(place);
  os::check_writable(place, 1 << 20);
  watch_signals();
  std::string lost;
  const auto side = measure(request, lost);
  if (!lost.empty()) std::cerr << calibrate_prefix << lost << '\n';
  const int failed = stop_asked() ? ExitCode::interrupted : ExitCode::failure;
  if (side.sessions.size() < 2) {
    std::cerr << calibrate_prefix << "fewer than two sessions were finished; nothing was written\n";
    return failed;
  }
  const auto calibration = compare::calibrate(side, request.alpha);
  const auto others = compare::others_beside(side);
  auto path = request.out.empty() ? calibration_path(calibration) : request.out;
  // No comparison finds it by itself, and no whole calibration is replaced by it.
  if (!lost.empty()) path += ".partial";
  report::write_calibration_table(
      std::cout, calibration, request.threshold,
      {wants_color(ColorChoice::automatic), terminal_width(STDOUT_FILENO)});
  if (calibration.cases.size() < side.cases.size()) {
    std::cout << side.cases.size() - calibration.cases.size()
              << " cases failed, or were not measured in every session\n";
  }
  if (!others.empty()) {
    std::cout << "Not a quiet machine: " << others
              << ". Comparisons that use this calibration may miss what a quiet one would show.\n";
  }
  if (!lost.empty()) {
    std::cout << "Incomplete: " << side.sessions.size() << " of " << request.sessions
              << " sessions (--calibration " << path << " uses it all the same)\n";
  }
  os::write_atomically(path,
                       [&](std::ostream& out) { report::write_calibration(out, calibration); });
  std::cout << "Wrote " << path << '\n';
  std::cout.flush();
  if (!std::cout.good()) throw std::runtime_error("standard output could not be written");
  return lost.empty() ? ExitCode::success : failed;
}

}  // namespace

int calibrate_command(const std::vector<std::string>& arguments) {
  CalibrateRequest request;
  CLI::App app("Measures how far apart two measurements of this build lie.", "bench calibrate");
  app.footer(calibrate_footer);
  app.get_formatter()->column_width(34);
  declare(app, request);
  try {
    parse_arguments(app, arguments);
    return run(request);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::cerr << calibrate_prefix << error.what() << "\nbench calibrate --help shows the flags.\n";
  } catch (const compare::NothingToCalibrate& error) {
    std::cerr << calibrate_prefix << error.what() << "; nothing was written\n";
    return ExitCode::nothing_to_judge;
  } catch (const std::exception& error) {
    std::cerr << calibrate_prefix << error.what() << '\n';
  }
  return ExitCode::failure;
}

}  // namespace apod::cli
