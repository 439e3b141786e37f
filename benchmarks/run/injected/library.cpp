/// The library that CUDA and NVTX load into a program which `bench inspect -- COMMAND` started. It
/// traces the process from within and writes what it sees to a file in the folder that
/// APOD_INSPECT_FOLDER names. Whatever fails here costs records, and never the program.

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "benchmarks/base/os/descriptor.hpp"
#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "kernels/api/demangle.hpp"
#include "kernels/api/no_signals.hpp"
#include "kernels/api/process_tracer.hpp"

namespace apod::injected {
namespace {

// A file that grew beyond would take more memory to be read than machines have.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

/// The file of a traced process: a line for each part of its recording. Made when the first line
/// comes. Others can't read it, and nothing that is there is replaced. It
/// is opened anew for each line: a program may close descriptors that it did not open, and what it
/// opens next gets their numbers. Uses the system alone: what is loaded into another program must
/// need no library of ours.
class PartFile {
 public:
  explicit PartFile(std::string folder) : folder_(std::move(folder)) {}

  /// False where it can't be written any more: the disk is full, the folder is gone.
  bool write(const std::string& line) {
    if (failed_) return false;
    const int file = open();
    failed_ = file < 0 || !os::write_all(file, line + '\n');
    if (file >= 0) ::close(file);
    bytes_ += line.size() + 1;
    return !failed_;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  int open() {
    constexpr int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
    if (!path_.empty()) return ::open(path_.c_str(), flags);
    // The number of a process that has ended may be another's.
    constexpr int most = 1000;
    for (int i = 0; i < most; ++i) {
      auto path = folder_ + "/" + std::to_string(::getpid()) + "." + std::to_string(i) + ".parts";
      const int file = ::open(path.c_str(), flags | O_CREAT | O_EXCL, 0600);
      if (file >= 0) path_ = std::move(path);
      if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
  }

  std::string folder_;
  std::string path_;  ///< empty until it is made
  bool failed_ = false;
  std::size_t bytes_ = 0;
};

using std::chrono::milliseconds;

// What a process that is killed loses at most.
constexpr auto write_interval = milliseconds(50);
// How exactly a window in time is kept.
constexpr auto clock_interval = milliseconds(5);

// How long a fork waits for our thread to be at rest, and the end of a program for it to end. It
// may itself wait for a lock of the driver that the forking thread holds.
constexpr auto most_patience = milliseconds(5000);

constexpr const char* forked_at_work = "the process was forked while its parent was being recorded";

constexpr const char* too_much =
    "the recording is full (256 MiB): later events are missing (to record a part: --capture-range, "
    "--delay or --duration)";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

TraceWindow window_from_environment() {
  const auto number = [](const char* name) {
    return static_cast<std::int64_t>(std::strtoll(variable(name).c_str(), nullptr, 10));
  };
  return {variable("APOD_INSPECT_RANGE"), number("APOD_INSPECT_FROM_NS"),
          number("APOD_INSPECT_UNTIL_NS")};
}

/// What APOD_CAPTURE_... say; without them nothing is captured.
capture::Wish wish_from_environment() {
  capture::Wish wish;
  wish.folder = variable("APOD_CAPTURE_FOLDER");
  if (wish.folder.empty()) return wish;
  wish.which = variable("APOD_CAPTURE_LAUNCH");
  wish.max_bytes = std::strtoull(variable("APOD_CAPTURE_MAX_BYTES").c_str(), nullptr, 10);
  if (const auto wait = variable("APOD_CAPTURE_WAIT_MS"); !wait.empty())
    wish.longest_wait = std::chrono::milliseconds(std::strtoll(wait.c_str(), nullptr, 10));
  wish.matches = [pattern = text::Pattern(variable("APOD_CAPTURE_KERNEL"))](
                     const std::string& mangled) { return pattern.is_in(demangled(mangled)); };
  wish.encode = [](const capture::CapturedLaunch& launch) { return record::encode(launch); };
  return wish;
}

std::string program_name() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).filename().string();
}

/// Held by the thread that records, but while it waits: a process forked meanwhile would have its
/// locks, and those of CUPTI, without the thread that opens them.
std::timed_mutex at_work;

/// Writes the parts of one process's recording while it runs.
class Writer {
 public:
  /// `tracer`: null where nothing can be traced, for the reason `why`.
  Writer(ProcessTracer* tracer, const std::string& folder, const std::string& why)
      : tracer_(tracer),
        process_(::getpid()),
        program_(program_name()),
        file_(std::filesystem::absolute(folder)) {
    ProcessPart first;
    if (!why.empty()) first.trace.notes.push_back("nothing traced: " + why);
    first.last = tracer_ == nullptr;
    write(std::move(first));
    if (tracer_ == nullptr) return;
    const NoSignals none;
    thread_ = std::thread([this] { follow(); });
  }

  int process() const { return process_; }

  /// Writes what is left.
  void finish() {
    if (!thread_.joinable()) return;
    {
      const std::unique_lock lock(at_work, most_patience);
      // It waits for a lock that no thread opens any more, and the program must end.
      if (!lock.owns_lock()) return thread_.detach();
      over_ = true;
    }
    wake_.notify_all();
    thread_.join();
    const NoSignals none;
    write(tracer_->collect(true));
  }

 private:
  void follow() {
    auto write_at = std::chrono::steady_clock::now() + write_interval;
    std::unique_lock lock(at_work);
    while (!wake_.wait_for(lock, clock_interval, [this] { return over_; })) {
      tracer_->look_at_the_clock();
      if (std::chrono::steady_clock::now() >= write_at) {
        try {
          write(tracer_->collect(false));
        } catch (const std::exception&) {
          // Out of memory: this part is lost.
        }
        write_at = std::chrono::steady_clock::now() + write_interval;
      }
    }
  }

  static bool is_empty(const ProcessPart& part) {
    const auto& trace = part.trace;
    return trace.activities.empty() && trace.calls.empty() && trace.synchronizations.empty() &&
           trace.ranges.empty() && trace.overheads.empty() && trace.notes.empty() &&
           part.devices.empty() && part.threads.empty();
  }

  void write(ProcessPart part) {
    if (written_ && is_empty(part) && !part.last) return;
    if (file_.bytes() >= kMostBytes) {
      if (full_ && !part.last) return;
      part.trace = {};
      if (!full_) part.trace.notes.emplace_back(too_much);
      full_ = true;
    }
    part.process = process_;
    part.program = program_;
    written_ = true;
    (void)file_.write(record::encode(part));
  }

  ProcessTracer* tracer_;
  const int process_;
  const std::string program_;
  PartFile file_;
  bool written_ = false;
  bool full_ = false;
  std::thread thread_;
  std::condition_variable_any wake_;
  bool over_ = false;
};

// All of this is never destroyed: the program may call CUDA until its very end.
std::atomic<bool> starting{false};
ProcessTracer* tracer = nullptr;  ///< of this process, and of those that it forks
bool attached = false;            ///< or it was tried
std::string* why_not = nullptr;
Writer* writer = nullptr;

thread_local bool rests = false;  ///< the thread that records, while this one forks

void before_fork() {
  rests = tracer != nullptr && at_work.try_lock_for(most_patience);
}
void after_fork() {
  if (rests) at_work.unlock();
}
/// In a child of a fork neither the thread nor the file is this process's; only if it comes to use
/// CUDA itself it gets its own, and none where the parent's locks may be shut.
void after_fork_in_child() {
  after_fork();
  if (!rests) tracer = nullptr;
  writer = nullptr;
}

void finish() {
  try {
    if (writer != nullptr && writer->process() == ::getpid()) writer->finish();
  } catch (const std::exception&) {
    // Out of memory at the end: what was written stays.
  }
}

/// True where the process is traced. Whoever comes while another call starts does not wait for it:
/// each may hold a lock of the driver's that the other one needs, and attaching to the driver may
/// come here again.
bool start() {
  if (starting.exchange(true)) return false;
  struct Done {
    ~Done() { starting = false; }
  } const done;
  const auto folder = variable("APOD_INSPECT_FOLDER");
  if (folder.empty()) return false;
  if (writer != nullptr) return tracer != nullptr;
  if (!attached) {
    attached = true;
    why_not = new std::string;
    tracer =
        make_process_tracer(window_from_environment(), wish_from_environment(), *why_not).release();
    ::pthread_atfork(before_fork, after_fork, after_fork_in_child);
    std::atexit(finish);
  } else if (tracer != nullptr) {
    tracer->forget_parent();
  } else if (why_not->empty()) {
    *why_not = forked_at_work;
  }
  writer = new Writer(tracer, folder, *why_not);
  return tracer != nullptr;
}

/// 1 where the process is traced and the tracer takes what it is given.
template <class Take>
int taken(const Take& take) {
  try {
    return start() && take() ? 1 : 0;
  } catch (const std::exception&) {
    return 0;
  }
}

}  // namespace
}  // namespace apod::injected

// The names by which CUDA and NVTX look for a tool. What they return tells whether one is there.
extern "C" {
__attribute__((visibility("default"))) int InitializeInjection() {
  (void)apod::injected::taken([] { return true; });
  return 1;
}
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(apod::NvtxExportTable table) {
  return apod::injected::taken([&] { return apod::injected::tracer->take_ranges(table); });
}
__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(const void* module) {
  return apod::injected::taken([&] { return apod::injected::tracer->take_payloads(module); });
}
}
