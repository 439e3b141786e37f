#include "benchmarks/cli/printed_experiment.hpp"

#include <unistd.h>

#include <iostream>
#include <optional>

#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/frame.hpp"

namespace apod::cli {
namespace {

/// Sends to standard error what is printed while it lives.
class ToErrors {
 public:
  ToErrors() : out_(std::cout.rdbuf(std::cerr.rdbuf())) {}
  ~ToErrors() {
    std::cout.flush();
    std::cout.rdbuf(out_);
  }
  ToErrors(const ToErrors&) = delete;
  ToErrors& operator=(const ToErrors&) = delete;

 private:
  std::streambuf* out_;
};

}  // namespace

int run_printed(const std::string& name, const std::string& text, Options options,
                const Registry& registry) {
  const os::TemporaryFolder folder;
  options.config = folder.path() + "/" + name + ".yaml";
  write_output(os::Destination::derived(options.config), std::nullopt,
               [&](std::ostream& out) { out << text; });
  if (options.out.empty()) options.out = {folder.path() + "/" + name + ".json"};
  options.printed_as = "the experiment as printed";
  options.trust = true;
  std::cout << std::flush;
  const ToErrors rest;
  if (::isatty(STDERR_FILENO) == 0) options.color = ColorChoice::never;
  return run_experiments(options, registry);
}

}  // namespace apod::cli
