#include "benchmarks/base/os/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace apod::os {

std::string prepare_process() {
  constexpr rlim_t least_stack = 1 << 20;
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < least_stack) {
    return "the stack may have no more than " + std::to_string(stack.rlim_cur >> 10) +
           " KiB (ulimit -s 8192)";
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
  return "the working folder can't be used: " + error.message() + " (cd to one that exists)";
}

}  // namespace apod::os
