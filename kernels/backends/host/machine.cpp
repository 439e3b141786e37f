#include "kernels/backends/host/machine.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "kernels/backends/host/memory.hpp"

namespace apod::host {
namespace {

/// The value of the first "key : value" line of /proc/cpuinfo. Stops there: the rest of the file is
/// one block for each processor, and slow to make on large machines.
std::optional<std::string> cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? std::string() : line.substr(begin);
  }
  return std::nullopt;
}

/// The kHz figure of a file of the frequency driver; 0 without such a driver.
double frequency_khz(int processor, const char* file) {
  std::ifstream stream("/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/cpufreq/" +
                       file);
  double khz = 0;
  return stream >> khz ? khz : 0;
}

}  // namespace

std::uint64_t last_level_cache_bytes() {
  std::uint64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) +
                       "/size");
    std::uint64_t size = 0;
    char unit = 'B';
    if (!(file >> size)) break;
    file >> unit;
    if (unit == 'K') size <<= 10;
    if (unit == 'M') size <<= 20;
    largest = std::max(largest, size);
  }
  return largest;
}

DeviceFacts machine_facts() {
  DeviceFacts facts;
  facts.backend = BackendKind::host;
  facts.name = cpuinfo("model name").value_or("");
  if (facts.name.empty()) {
    facts.name = "host processor";
    facts.notes.emplace_back("/proc/cpuinfo names no processor model");
  }
  facts.multiprocessors = static_cast<int>(std::thread::hardware_concurrency());
  facts.max_threads_per_multiprocessor = 1;
  facts.memory_bytes = total_memory_bytes();
  facts.memory_free_bytes = available_memory_bytes();
  facts.l2_bytes = last_level_cache_bytes();
  facts.timer_tick_s = 1e-9;  // of the steady clock's count
  if (facts.l2_bytes == 0) facts.notes.emplace_back("Linux does not report the cache sizes");
  facts.max_sm_clock_mhz = static_cast<int>(frequency_khz(0, "cpuinfo_max_freq") / 1000);
  if (frequency_khz(0, "scaling_cur_freq") <= 0) {
    facts.notes.emplace_back(machine_clock().valid
                                 ? "no frequency driver: the clock comes from /proc/cpuinfo, and a "
                                   "virtual machine may show a fixed value there"
                                 : "the clock can't be read: there is no frequency driver, and "
                                   "/proc/cpuinfo has no clock");
  }
  return facts;
}

ClockReading machine_clock() {
  ClockReading reading;
  reading.sm_mhz = frequency_khz(std::max(sched_getcpu(), 0), "scaling_cur_freq") / 1000;
  if (reading.sm_mhz <= 0) {
    try {
      reading.sm_mhz = std::stod(cpuinfo("cpu MHz").value_or("0"));
    } catch (const std::exception&) {
      reading.sm_mhz = 0;
    }
  }
  reading.valid = reading.sm_mhz > 0;
  return reading;
}

}  // namespace apod::host
