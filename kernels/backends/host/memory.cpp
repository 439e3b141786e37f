#include "kernels/backends/host/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace apod::host {
namespace {

constexpr std::size_t kAlignment = 256;

std::size_t page_bytes() {
  static const auto size = static_cast<std::size_t>(std::max(sysconf(_SC_PAGESIZE), 4096L));
  return size;
}

/// The number in a one-line file; `fallback` when there is none ("max", no such file).
std::uint64_t read_number(const char* path, std::uint64_t fallback) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : fallback;
}

/// A line such as "MemAvailable:   23456 kB" of /proc/meminfo, in bytes; 0 when it is absent.
std::uint64_t meminfo(const std::string& key) {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    std::uint64_t kib = 0;
    if (word == key && file >> kib) return kib * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

struct Cgroup {
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t used = 0;
};

/// The limit of the cgroup this process sees as its own, as a container has it (version 2, then 1).
Cgroup cgroup() {
  Cgroup group;
  group.limit = read_number("/sys/fs/cgroup/memory.max", group.limit);
  group.used = read_number("/sys/fs/cgroup/memory.current", 0);
  if (group.limit == std::numeric_limits<std::uint64_t>::max()) {
    group.limit = read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes", group.limit);
    group.used = read_number("/sys/fs/cgroup/memory/memory.usage_in_bytes", group.used);
  }
  return group;
}

}  // namespace

std::uint64_t total_memory_bytes() {
  const auto pages = static_cast<std::uint64_t>(std::max(sysconf(_SC_PHYS_PAGES), 0L));
  return std::min(pages * page_bytes(), cgroup().limit);
}

std::uint64_t available_memory_bytes() {
  auto available = meminfo("MemAvailable:");
  if (available == 0) available = total_memory_bytes();
  const auto group = cgroup();
  return std::min(available, group.limit - std::min(group.used, group.limit));
}

void require_memory(std::uint64_t bytes, MemoryKind kind) {
  // Small requests cost no look into /proc; the machine is long lost if it can't serve these.
  if (bytes <= std::uint64_t{1} << 20) return;
  const auto available = available_memory_bytes();
  if (bytes <= available) return;
  throw BackendError(BackendError::Code::out_of_memory,
                     "host memory: " + std::to_string(bytes) + " bytes of " +
                         std::string(to_string(kind)) + " memory asked for, " +
                         std::to_string(available) + " available");
}

Memory::Memory(std::size_t bytes, MemoryKind kind) : bytes_(bytes) {
  require_memory(bytes, kind);
  // Whole pages for the kinds whose pages are treated one by one: locking must not reach, and
  // unlocking must not release, a neighbour's page.
  const auto alignment = kind == MemoryKind::pageable ? kAlignment : page_bytes();
  const auto rounded = std::max(alignment, (bytes + alignment - 1) / alignment * alignment);
  data_ = std::aligned_alloc(alignment, rounded);
  if (data_ == nullptr) {
    throw BackendError(BackendError::Code::out_of_memory,
                       "host memory: " + std::to_string(bytes) + " bytes refused");
  }
  if (kind == MemoryKind::pageable) return;
  auto* pages = static_cast<volatile unsigned char*>(data_);
  for (std::size_t at = 0; at < rounded; at += page_bytes()) pages[at] = 0;
  locked_ = kind == MemoryKind::pinned && mlock(data_, rounded) == 0;
}

Memory::~Memory() {
  if (locked_) munlock(data_, std::max<std::size_t>(bytes_, 1));
  std::free(data_);
}

}  // namespace apod::host
