#include "benchmarks/run/other_load.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string>

namespace apod::run {
namespace {

constexpr double window_s = 0.5;
// The kernel counts hundredths of a second: over less time they mean nothing.
constexpr double least_s = 0.1;

double seconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// The processor time of children that have ended.
double seconds_of_ended() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

// The first line of /proc/stat, after proc_stat(5): cpu user nice system idle iowait irq softirq
// steal. What guests use is part of user already.
std::optional<ProcessorTimes> read_processor_times(double running) {
  std::ifstream file("/proc/stat");
  std::string word;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0, steal = 0;
  file >> word >> user >> nice >> system >> idle >> waiting >> irq >> softirq >> steal;
  if (!file || word != "cpu") return std::nullopt;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return ProcessorTimes{seconds_of(CLOCK_MONOTONIC),
                        (user + nice + system + irq + softirq + steal) / ticks,
                        seconds_of(CLOCK_PROCESS_CPUTIME_ID) + seconds_of_ended() + running};
}

std::size_t others_on_gpu(std::size_t processes, std::size_t peers) {
  // Fewer than expected: a peer has not opened the device yet, or the driver does not show it.
  return processes > 1 + peers ? processes - 1 - peers : 0;
}

OtherLoad::OtherLoad(std::optional<ProcessorTimes> first) {
  if (first) looks_.push_back(*first);
}

std::optional<double> OtherLoad::look(std::optional<ProcessorTimes> now) {
  if (!now || looks_.empty()) return std::nullopt;
  while (looks_.size() > 1 && now->now - looks_[1].now >= window_s) looks_.pop_front();
  const auto& then = looks_.front();
  const double elapsed = now->now - then.now;
  const double others = (now->busy - then.busy) - (now->own - then.own);
  looks_.push_back(*now);
  if (elapsed < least_s) return std::nullopt;
  return std::max(0.0, others / elapsed);
}

}  // namespace apod::run
