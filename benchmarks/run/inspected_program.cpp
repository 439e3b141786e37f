#include "benchmarks/run/inspected_program.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "benchmarks/base/os/child.hpp"
#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/look/process_files.hpp"
#include "benchmarks/plan/expand.hpp"
#include "benchmarks/run/environment.hpp"

namespace apod::run {
namespace {

constexpr std::array passed_on{SIGINT, SIGQUIT, SIGTERM, SIGHUP};

/// The signal that is to be passed on; 0: none.
std::atomic<int> pending{0};

void on_signal(int number, siginfo_t* info, void*) {
  // What the terminal sends goes to its whole foreground, and so to the program too.
  if (info->si_code != SI_KERNEL) pending = number;
}

/// While this lives, we outlive what ends the program.
class PassedSignals {
 public:
  PassedSignals() {
    for (std::size_t i = 0; i < passed_on.size(); ++i) {
      ::sigaction(passed_on[i], nullptr, &before_[i]);
      // nohup's wish holds for the program and for us.
      if (before_[i].sa_handler == SIG_IGN) continue;
      struct sigaction action {};
      action.sa_sigaction = on_signal;
      action.sa_flags = SA_SIGINFO;
      ::sigaction(passed_on[i], &action, nullptr);
    }
  }
  ~PassedSignals() {
    for (std::size_t i = 0; i < passed_on.size(); ++i)
      ::sigaction(passed_on[i], &before_[i], nullptr);
  }
  PassedSignals(const PassedSignals&) = delete;
  PassedSignals& operator=(const PassedSignals&) = delete;

 private:
  std::array<struct sigaction, passed_on.size()> before_{};
};

std::string number_text(double seconds_from_now) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const auto ns = now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
  return std::to_string(ns + static_cast<std::int64_t>(1e9 * seconds_from_now));
}

int run_to_its_end(const os::Launch& launch) {
  pending = 0;
  const PassedSignals signals;
  os::Child child(launch);
  std::optional<int> status;
  while (!(status = child.status())) {
    // Where the system tells of no end, it is asked for often.
    pollfd end{child.end_descriptor(), POLLIN, 0};
    ::poll(&end, 1, child.end_descriptor() >= 0 ? 100 : 2);
    if (const int number = pending.exchange(0); number != 0) child.signal(number);
  }
  return os::exit_code_of(*status);
}

/// "580.95.05"; empty where there is no driver.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const bool is_version = word.find('.') != std::string::npos &&
                            word.find_first_not_of("0123456789.") == std::string::npos;
    if (is_version) return word;
  }
  return {};
}

bool has_driver() {
  std::error_code error;
  for (const char* path : {"/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/dxg"}) {
    if (std::filesystem::exists(path, error)) return true;
  }
  return false;
}

/// Why there is nothing; empty where there is something.
std::string why_nothing(const Recording& recording) {
  const auto& trace = recording.trace;
  if (!trace.activities.empty()) return {};
  // Whoever was in the way has said so.
  if (!trace.notes.empty()) return {};
  const std::string nothing = "nothing traced: ";
  if (!has_driver()) return nothing + "this machine has no NVIDIA driver";
  if (recording.programs.empty()) return nothing + "no process of the program used CUDA";
  return nothing + "nothing ran on a device during the recording";
}

}  // namespace

std::string other_tool() {
  for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return std::string(variable) + " is " + value;
  }
  return {};
}

Tracing tracing_by(std::string library, const Registry& registry) {
  const auto rival = other_tool();
  if (!rival.empty()) return {"", "another tool already traces the program (" + rival + ")"};
  if (library.empty()) return {"", "libapodinspect.so is missing in the folder of bench"};
  const auto* gpus = registry.backend(BackendKind::cuda);
  std::string why(plan::cuda_not_built);
  if (gpus == nullptr || gpus->devices(why).empty()) return {"", why};
  return {std::move(library), ""};
}

std::vector<std::pair<std::string, std::string>> recording_variables(
    const InspectedProgram& program, const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> variables{
      {"CUDA_INJECTION64_PATH", program.library},
      {"NVTX_INJECTION64_PATH", program.library},
      {"APOD_INSPECT_FOLDER", folder},
      {"APOD_INSPECT_RANGE", program.range},
      {"APOD_INSPECT_FROM_NS", number_text(program.delay_s)},
      {"APOD_INSPECT_UNTIL_NS", "0"}};
  if (program.duration_s > 0)
    variables.back().second = number_text(program.delay_s + program.duration_s);
  variables.insert(variables.end(), program.variables.begin(), program.variables.end());
  return variables;
}

Recording recorded_in(const std::string& folder) {
  auto recording = look::read_process_files(folder);
  if (auto why = why_nothing(recording); !why.empty())
    recording.trace.notes.push_back(std::move(why));
  return recording;
}

Recording run_inspected(const InspectedProgram& program) {
  const os::TemporaryFolder folder;
  os::Launch launch{.words = program.words};
  if (!program.silent) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      launch.descriptors.emplace_back(stream, stream);
  }
  const auto other = other_tool();
  if (other.empty()) launch.variables = recording_variables(program, folder.path());
  const auto environment = read_environment();
  const int exit_code = run_to_its_end(launch);

  Recording recording;
  try {
    if (other.empty()) recording = recorded_in(folder.path());
  } catch (const std::exception& error) {
    recording.trace.notes.push_back(std::string("the recording can't be read: ") + error.what());
  }
  recording.producer = std::string("bench inspect of apod-bench ") + build_version;
  if (*build_commit != '\0') recording.producer += std::string(" (") + build_commit + ")";
  recording.command = text::shell_line(program.words);
  recording.date = environment.date;
  recording.exit_code = exit_code;
  for (auto& device : recording.devices) device.driver_version = driver_version();
  if (!other.empty()) {
    recording.trace.notes.push_back("nothing traced: another tool already traces the program (" +
                                    other + ")");
  }
  return recording;
}

}  // namespace apod::run
