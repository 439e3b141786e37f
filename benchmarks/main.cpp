#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/inspection.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/files/recording_file.hpp"
#include "benchmarks/run/worker.hpp"
#include "kernels/api/registry.hpp"

namespace {

/// Call once, before anything else: makes a file size limit (ulimit -f) an error like a full disk
/// rather than the end of the process. Returns why nothing can work here: the working folder is
/// gone, or the stack may not grow. Empty if all is well.
std::string prepare_process() {
  constexpr rlim_t least_stack = 1 << 20;
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < least_stack) {
    return "the stack limit is only " + std::to_string(stack.rlim_cur >> 10) +
           " KiB (to raise it: ulimit -s 8192)";
  }
  ::signal(SIGXFSZ, SIG_IGN);
  // Or the first files opened would get the numbers of closed standard streams, and their text.
  // Nothing can be written to these, so that lost output is still an error.
  int descriptor = 0;
  do {
    descriptor = ::open("/dev/null", O_RDONLY);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor >= 0) ::close(descriptor);
  std::error_code error;
  if (!std::filesystem::current_path(error).empty()) return "";
  return "the working folder can't be used: " + error.message() + " (cd to a folder that exists)";
}

}  // namespace

int main(int argc, char** argv) {
  using namespace apod;
  if (const auto problem = prepare_process(); !problem.empty()) return cli::fail(problem);
  if (argc == 2 && std::strcmp(argv[1], run::worker_argument) == 0) {
    try {
      return run::serve(Registry::instance());
    } catch (const std::exception& error) {
      return cli::fail(error.what());
    }
  }
  files::read_recordings_by(cli::judged_recording);
  const auto line = cli::spelled_out({argv, argv + argc});
  const auto& command = cli::find_command(line.size() > 1 ? line[1] : "");
  const int own_words = *command.name == '\0' ? 1 : 2;
  return cli::run_in_frame(command, line, own_words, argc > 1 && argv[1] == line[1]);
}
