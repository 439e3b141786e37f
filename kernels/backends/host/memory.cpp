#include "kernels/backends/host/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace apod::host {
namespace {

constexpr std::size_t kAlignment = 256;

std::size_t page_bytes() {
  static const auto size = static_cast<std::size_t>(std::max(sysconf(_SC_PAGESIZE), 4096L));
  return size;
}

constexpr auto kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// The number in a one-line file; nothing when there is none ("max", no such file).
std::optional<std::uint64_t> read_number(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

/// The number behind `key` in a file of lines such as "MemAvailable:   23456 kB"; 0 when absent.
std::uint64_t read_value(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    std::uint64_t value = 0;
    if (word == key && file >> value) return value;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

struct Cgroup {
  std::uint64_t limit = kNoLimit;
  std::uint64_t used = 0;
};

/// The cgroup that this process sees as its own, as in a container (version 2, then 1). Cached
/// files count towards the group but are dropped when memory is needed. After a build they may fill
/// the whole limit, and nothing would seem to be left.
Cgroup cgroup(const std::string& root) {
  Cgroup group;
  std::string folder = root + "/sys/fs/cgroup/";
  std::string prefix;
  auto limit = read_number(folder + "memory.max");
  auto used = read_number(folder + "memory.current");
  if (!limit) {
    folder += "memory/";
    prefix = "total_";
    limit = read_number(folder + "memory.limit_in_bytes");
    used = read_number(folder + "memory.usage_in_bytes");
  }
  group.limit = limit.value_or(kNoLimit);
  group.used = used.value_or(0);
  for (const char* cache : {"active_file", "inactive_file"})
    group.used -= std::min(group.used, read_value(folder + "memory.stat", prefix + cache));
  return group;
}

}  // namespace

std::uint64_t total_memory_bytes() {
  const auto pages = static_cast<std::uint64_t>(std::max(sysconf(_SC_PHYS_PAGES), 0L));
  return std::min(pages * page_bytes(), cgroup("").limit);
}

std::uint64_t available_memory_bytes(const std::string& root) {
  auto available = read_value(root + "/proc/meminfo", "MemAvailable:") * 1024;
  if (available == 0) available = total_memory_bytes();
  const auto group = cgroup(root);
  return std::min(available, group.limit - std::min(group.used, group.limit));
}

void require_memory(std::uint64_t bytes, MemoryKind kind) {
  // Small requests don't read /proc; a machine that can't serve them is lost anyway.
  if (bytes <= std::uint64_t{1} << 20) return;
  const auto available = available_memory_bytes();
  if (bytes <= available) return;
  throw BackendError(BackendError::Code::out_of_memory,
                     "host memory: " + std::to_string(bytes) + " bytes of " +
                         std::string(to_string(kind)) + " memory requested, but only " +
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
                       "host memory: can't allocate " + std::to_string(bytes) + " bytes");
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
