#include "kernels/backends/cuda/injected/captured_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

namespace apod::cuda {
namespace {

using capture::Place;
using capture::Window;

/// What is copied at once.
constexpr std::size_t piece = std::size_t{16} << 20;
/// The driver maps memory in such pieces.
constexpr std::uint64_t granule = std::uint64_t{2} << 20;
/// How much of what a pointer points to is looked at for further pointers.
constexpr std::size_t most_table = std::size_t{64} << 10;

std::string error_text(const std::string& path) {
  return path + ": " + std::strerror(errno);
}

bool is_zero(const char* bytes, std::size_t count) {
  return bytes[0] == 0 && std::memcmp(bytes, bytes + 1, count - 1) == 0;
}

/// Closed on destruction.
struct File {
  explicit File(int opened) : number(opened) {}
  ~File() {
    if (number >= 0) ::close(number);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number;
};

bool write_at(int file, const char* bytes, std::size_t count, std::uint64_t at) {
  while (count > 0) {
    const auto written = ::pwrite(file, bytes, count, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    count -= static_cast<std::size_t>(written);
    at += static_cast<std::uint64_t>(written);
  }
  return true;
}

bool read_at(int file, char* bytes, std::size_t count, std::uint64_t at) {
  while (count > 0) {
    const auto got = ::pread(file, bytes, count, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    count -= static_cast<std::size_t>(got);
    at += static_cast<std::uint64_t>(got);
  }
  return true;
}

/// Pages of zeros are left out, so that they are holes.
bool write_sparse(int file, const char* bytes, std::size_t count, std::uint64_t at) {
  for (std::size_t from = 0; from < count; from += capture::page) {
    const auto size = std::min<std::size_t>(capture::page, count - from);
    if (is_zero(bytes + from, size)) continue;
    if (!write_at(file, bytes + from, size, at + from)) return false;
  }
  return true;
}

bool by_address(const Window& a, const Window& b) {
  return a.address < b.address;
}

std::string in_mib(std::uint64_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

}  // namespace

bool ReachedMemory::add(std::uint64_t value, Pointer as) {
  constexpr std::uint64_t least = 65536;
  constexpr std::uint64_t most = std::uint64_t{1} << 57;
  if (value < least || value >= most) return false;
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  unsigned type = 0;
  unsigned managed = 0;
  CUdevice device = here_;
  const auto ask = [&](void* to, CUpointer_attribute what) {
    return driver_.pointer_attribute(to, what, value) == CUDA_SUCCESS;
  };
  if (!ask(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE) ||
      !ask(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR) ||
      !ask(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE) || bytes == 0) {
    return false;
  }
  (void)ask(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED);
  auto& allocation = allocations_[base];
  allocation.bytes = bytes;
  allocation.place = managed != 0                 ? Place::managed
                     : type == CU_MEMORYTYPE_HOST ? Place::host
                                                  : Place::device;
  allocation.elsewhere = allocation.place == Place::device &&
                         ask(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) && device != here_;
  if (as == Pointer::found && allocation.given.contains(value)) return true;
  (as == Pointer::given ? allocation.given : allocation.found).insert(value);
  return true;
}

void ReachedMemory::look_at(const std::byte* argument, std::size_t bytes) {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes; at += 4) {
    std::uint64_t value = 0;
    std::memcpy(&value, argument + at, sizeof value);
    (void)add(value, at % sizeof value == 0 ? Pointer::given : Pointer::found);
  }
}

void ReachedMemory::look_in(std::uint64_t address, std::size_t bytes) {
  std::vector<std::byte> table(std::min(bytes, most_table));
  if (driver_.download(table.data(), address, table.size()) != CUDA_SUCCESS) return;
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= table.size();
       at += sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, table.data() + at, sizeof value);
    (void)add(value, Pointer::found);
  }
}

void ReachedMemory::follow() {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> first;
  for (const auto& [base, allocation] : allocations_) {
    for (const auto* pointers : {&allocation.given, &allocation.found}) {
      for (const auto pointer : *pointers)
        first.emplace_back(pointer, base + allocation.bytes - pointer);
    }
  }
  for (const auto& [pointer, bytes] : first) look_in(pointer, bytes);
}

std::vector<Window> ReachedMemory::parts_of(std::uint64_t base, const Allocation& allocation,
                                            std::uint64_t room) {
  std::vector<Window> parts;
  for (const auto* pointers : {&allocation.given, &allocation.found}) {
    if (pointers->empty()) continue;
    // Those that were found are often none: they leave most of the room to the arguments.
    const auto others = pointers == &allocation.given ? allocation.found.size() : 0;
    const auto budget = room - std::min(room / 4, others * granule);
    const auto each = std::max(budget / pointers->size() / granule * granule, granule);
    for (const auto pointer : *pointers) {
      const auto from = std::max(base, pointer / capture::page * capture::page);
      const auto size = std::min({each, room, base + allocation.bytes - from});
      if (size == 0) break;
      parts.push_back({from, size, allocation.place, allocation.bytes});
      room -= size;
    }
  }
  std::sort(parts.begin(), parts.end(), by_address);
  std::vector<Window> joined;
  for (const auto& part : parts) {
    if (joined.empty() || part.address > joined.back().address + joined.back().bytes) {
      joined.push_back(part);
      continue;
    }
    auto& last = joined.back();
    last.bytes = std::max(last.bytes, part.address + part.bytes - last.address);
  }
  return joined;
}

std::vector<Window> ReachedMemory::windows(std::uint64_t most,
                                           std::vector<std::string>& notes) const {
  // Allocations that arguments point to come first, and small ones are kept whole while their sum
  // leaves the others a fair share. All that were only found share like one of them.
  std::vector<std::pair<std::uint64_t, const Allocation*>> order;
  for (const auto& [base, allocation] : allocations_) order.emplace_back(base, &allocation);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    const auto key = [](const Allocation& of) { return std::pair(of.given.empty(), of.bytes); };
    return key(*a.second) < key(*b.second);
  });
  const auto given = static_cast<std::size_t>(std::count_if(
      order.begin(), order.end(), [](const auto& one) { return !one.second->given.empty(); }));
  std::uint64_t left = most;
  std::vector<Window> kept;
  std::size_t lost = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& [base, allocation] = order[i];
    const auto sharers = i < given ? given - i + (given < order.size() ? 1 : 0) : order.size() - i;
    const auto share = std::max(left / sharers, std::min(left, granule));
    if (allocation->bytes <= share) {
      kept.push_back({base, allocation->bytes, allocation->place, allocation->bytes});
      left -= allocation->bytes;
      continue;
    }
    const auto parts = parts_of(base, *allocation, share);
    std::uint64_t bytes = 0;
    for (const auto& part : parts) bytes += part.bytes;
    left -= bytes;
    lost += parts.empty() ? 1 : 0;
    if (parts.empty()) continue;
    kept.insert(kept.end(), parts.begin(), parts.end());
    notes.push_back("bench keeps only " + in_mib(bytes) + " of an allocation of " +
                    in_mib(allocation->bytes) + ": the memory behind each of " +
                    std::to_string(allocation->given.size() + allocation->found.size()) +
                    " pointers. A kernel that reads other parts of the allocation fails (to keep "
                    "more: --max-bytes)");
  }
  if (lost > 0) {
    notes.push_back(
        std::to_string(lost) +
        " allocations that the kernel may use are not kept (to keep more: --max-bytes)");
  }
  std::sort(kept.begin(), kept.end(), by_address);
  std::uint64_t on_host = 0;
  std::uint64_t elsewhere = 0;
  for (const auto& window : kept) {
    if (window.place == Place::host) on_host += window.bytes;
    const auto& allocation = std::prev(allocations_.upper_bound(window.address))->second;
    if (allocation.elsewhere) elsewhere += window.bytes;
  }
  if (on_host > 0) {
    notes.push_back("the kernel may use " + in_mib(on_host) +
                    " of pinned host memory: a replay uses pinned host memory too");
  }
  if (elsewhere > 0) {
    notes.push_back(
        "the kernel may use " + in_mib(elsewhere) +
        " of another GPU's memory: a replay uses memory of its own GPU instead, so times differ");
  }
  return kept;
}

std::string StateWriter::read(void* to, std::uint64_t address, std::size_t bytes,
                              Place place) const {
  if (place == Place::host) {
    std::memcpy(to, reinterpret_cast<const void*>(address), bytes);
    return "";
  }
  const auto result = driver_.download(to, address, bytes);
  if (result == CUDA_SUCCESS) return "";
  return "copying from the device failed: CUDA error " + std::to_string(result);
}

std::string StateWriter::write(const capture::CapturedLaunch& launch,
                               const std::vector<CUdeviceptr>& variables, bool changes) {
  const auto path = folder_ + "/" + (changes ? capture::changes_file : capture::before_file);
  const auto old = folder_ + "/" + capture::before_file;
  const File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.number < 0) return error_text(path);
  const File before(changes ? ::open(old.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1);
  if (changes && before.number < 0) return error_text(old);
  if (::ftruncate(file.number, static_cast<off_t>(capture::state_bytes(launch))) != 0)
    return error_text(path);
  const auto places = capture::stretches(launch);
  std::vector<char> now;
  std::vector<char> then;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool is_window = i < launch.windows.size();
    const auto address =
        is_window ? launch.windows[i].address : variables[i - launch.windows.size()];
    const auto place = is_window ? launch.windows[i].place : Place::device;
    for (std::uint64_t from = 0; from < places[i].bytes; from += piece) {
      const auto size = std::min<std::uint64_t>(piece, places[i].bytes - from);
      now.resize(size);
      if (auto error = read(now.data(), address + from, size, place); !error.empty()) return error;
      if (changes) {
        then.resize(size);
        if (!read_at(before.number, then.data(), size, places[i].at + from)) return error_text(old);
        for (std::size_t k = 0; k < size; ++k) now[k] = static_cast<char>(now[k] ^ then[k]);
      }
      if (!write_sparse(file.number, now.data(), size, places[i].at + from))
        return error_text(path);
    }
  }
  return "";
}

std::string StateWriter::write_before(const capture::CapturedLaunch& launch,
                                      const std::vector<CUdeviceptr>& variables) {
  return write(launch, variables, false);
}

std::string StateWriter::write_changes(const capture::CapturedLaunch& launch,
                                       const std::vector<CUdeviceptr>& variables) {
  return write(launch, variables, true);
}

std::string write_file(const std::string& path, const void* bytes, std::size_t count) {
  const File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  const bool good =
      file.number >= 0 && write_at(file.number, static_cast<const char*>(bytes), count, 0);
  return good ? "" : error_text(path);
}

}  // namespace apod::cuda
