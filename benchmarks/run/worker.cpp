#include "benchmarks/run/worker.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <iostream>
#include <set>
#include <string>

#include "benchmarks/base/os/descriptor.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "benchmarks/look/trace/ranges.hpp"
#include "benchmarks/run/case_runner.hpp"
#include "benchmarks/run/sampler.hpp"

namespace apod::run {
namespace {

/// False when the parent is gone.
bool send(char kind, const std::string& text) {
  return os::write_all(worker_output_fd, std::string{kind, ' '} + text + '\n');
}

/// Whether standard input has something to read, or has ended.
bool input_waits() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, 0) > 0;
}

}  // namespace

int serve(const Registry& registry) {
  // Ctrl-C, a terminal that closes and timeout(1) reach the whole process group; the parent decides
  // what they mean. It has asked for our death when it dies (os::Child).
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_IGN);
  trace::name_thread("apod worker");

  CaseRunner runner(registry);
  bool peer = false;  // runs until its input ends
  const CaseHooks hooks{.stage = [](const std::string& stage) { send('S', stage); },
                        .cancelled = [&] { return peer && input_waits(); },
                        .traced = [](const Trace& trace) { send('T', record::encode(trace)); }};
  std::set<BackendKind> reported;
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto item = record::decode_work_item(line);
    peer = item.pass == record::Pass::peer;
    if (peer) trace::name_thread("apod peer");
    const auto measurement = runner.run(item, hooks);
    const auto kind = item.info.backend;
    if (const auto* facts = runner.facts(kind); facts != nullptr && reported.insert(kind).second)
      send('D', record::encode(*facts));
    const bool lost = runner.device_lost();
    if (!send(lost ? 'X' : 'M', record::encode(measurement))) return 1;
    // No destructors: what would free memory of a lost device can hang.
    if (lost) ::_exit(0);
  }
  return 0;
}

}  // namespace apod::run
