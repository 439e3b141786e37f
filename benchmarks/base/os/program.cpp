#include "benchmarks/base/os/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "benchmarks/base/os/descriptor.hpp"

namespace apod::os {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto check_interval = milliseconds(100);
// Between the end of its output and its own end, where the system does not tell of the latter.
constexpr auto end_interval = milliseconds(2);
// More than any reader takes in all: a line in pieces would be read as what it is not.
constexpr std::size_t longest_line = 8 << 20;

}  // namespace

ProgramEnd run_program(const std::vector<std::string>& words, const ProgramOptions& options) {
  Pipe output, errors;
  const auto& to = options.lines == Lines::output ? errors : output;
  Launch launch{.words = words,
                .descriptors = {{to.write.get(), STDERR_FILENO}},
                .variables = options.variables,
                .folder = options.folder,
                .group = options.group};
  if (options.on_line && options.lines != Lines::errors)
    launch.descriptors.emplace_back(output.write.get(), STDOUT_FILENO);
  Child child(launch);
  output.write.close();
  errors.write.close();
  LineReader lines(std::move(output.read), longest_line);
  TailReader tail(std::move(errors.read));
  const auto read_some = [&](milliseconds wait, int end = -1) {
    std::array<pollfd, 3> sources{
        {{lines.descriptor(), POLLIN, 0}, {tail.descriptor(), POLLIN, 0}, {end, POLLIN, 0}}};
    if (::poll(sources.data(), sources.size(), static_cast<int>(wait.count())) <= 0) return false;
    if (sources[0].revents != 0) lines.read_some();
    if (sources[1].revents != 0) tail.read_some();
    while (const auto line = lines.next()) options.on_line(*line);
    return true;
  };

  ProgramEnd end;
  const auto begin = Clock::now();
  Clock::time_point kill_at = Clock::time_point::max();
  if (options.timeout) kill_at = begin + *options.timeout;
  std::optional<int> status;
  while (!(status = child.status())) {
    const auto now = Clock::now();
    if (now >= kill_at) {
      end.timed_out = !end.cancelled;
      child.kill();
    } else if (!end.cancelled && options.cancelled()) {
      end.cancelled = true;
      kill_at = now + options.patience;
      child.signal(SIGTERM);
    }
    const bool is_told = lines.open() || tail.open() || child.end_descriptor() >= 0;
    auto wait = is_told ? check_interval : end_interval;
    if (kill_at > now) wait = std::min(wait, std::chrono::ceil<milliseconds>(kill_at - now));
    read_some(wait, child.end_descriptor());
  }
  end.exit_code = exit_code_of(*status);
  end.usage = child.usage();
  // What it wrote last. Something that it has started may hold the pipes open: that is not waited
  // for.
  while ((lines.open() || tail.open()) && read_some(milliseconds(0))) {
  }
  if (options.on_line && !lines.rest().empty()) options.on_line(lines.rest());
  end.errors = tail.text();
  return end;
}

}  // namespace apod::os
