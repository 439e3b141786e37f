#include "benchmarks/run/worker.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <set>
#include <string>

#include "benchmarks/record/codec.hpp"
#include "benchmarks/run/case_runner.hpp"
#include "benchmarks/run/sampler.hpp"
#include "benchmarks/trace/ranges.hpp"

namespace apod::run {
namespace {

/// False when the parent is gone.
bool send(char kind, const std::string& text) {
  const std::string line = std::string{kind, ' '} + text + '\n';
  std::size_t written = 0;
  while (written < line.size()) {
    const auto n = ::write(worker_output_fd, line.data() + written, line.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    written += static_cast<std::size_t>(n);
  }
  return true;
}

/// What can be read of standard input without waiting for it: nothing, or its end among others.
short waiting_input() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, 0) > 0 ? input.revents : short{0};
}

}  // namespace

int serve(const Registry& registry) {
  // Ctrl-C, a terminal that closes and timeout(1) reach the whole process group; the parent decides
  // what they mean. And when the parent dies, nobody is left to read what this process measures.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if ((waiting_input() & POLLHUP) != 0) return 0;  // it died before it could be heard
  trace::name_thread("apod worker");

  CaseRunner runner(registry);
  bool peer = false;  // runs until its input ends
  const CaseHooks hooks{.stage = [](const std::string& stage) { send('S', stage); },
                        .cancelled = [&] { return peer && waiting_input() != 0; },
                        .traced = [](const Trace& trace) { send('T', record::encode(trace)); }};
  std::set<BackendKind> reported;
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto item = record::decode_work_item(line);
    peer = item.pass == record::Pass::peer;
    if (peer) trace::name_thread("apod peer");
    const auto measurement = runner.run(item, hooks);
    const auto kind = item.info.backend;
    if (const auto* facts = runner.facts(kind); facts != nullptr && reported.insert(kind).second) {
      send('D', record::encode(*facts));
    }
    const bool lost = runner.device_lost();
    if (!send(lost ? 'X' : 'M', record::encode(measurement))) return 1;
    // No destructors: what would free memory of a lost device can hang.
    if (lost) ::_exit(0);
  }
  return 0;
}

}  // namespace apod::run
