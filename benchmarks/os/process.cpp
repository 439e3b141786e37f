#include "benchmarks/os/process.hpp"

#include <signal.h>

#include <filesystem>
#include <system_error>

namespace apod::os {

std::string prepare_process() {
  ::signal(SIGXFSZ, SIG_IGN);
  std::error_code error;
  if (!std::filesystem::current_path(error).empty()) return "";
  return "the working folder can't be used: " + error.message() + " (cd to one that exists)";
}

}  // namespace apod::os
