#include "kernels/backends/cuda/injected/captured_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
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

std::string in_mib(std::uint64_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

}  // namespace

bool ReachedMemory::add(std::uint64_t value) {
  constexpr std::uint64_t least = 65536;
  constexpr std::uint64_t most = std::uint64_t{1} << 57;
  if (value < least || value >= most) return false;
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  unsigned type = 0;
  unsigned managed = 0;
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
  auto& pointers = allocation.pointers;
  if (std::find(pointers.begin(), pointers.end(), value) == pointers.end()) {
    pointers.push_back(value);
  }
  return true;
}

void ReachedMemory::look_at(const std::byte* argument, std::size_t bytes) {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes; at += 4) {
    std::uint64_t value = 0;
    std::memcpy(&value, argument + at, sizeof value);
    (void)add(value);
  }
}

void ReachedMemory::follow() {
  std::vector<std::pair<std::uint64_t, std::size_t>> first;
  for (const auto& [base, allocation] : allocations_) {
    for (const auto pointer : allocation.pointers) {
      first.emplace_back(pointer,
                         std::min<std::uint64_t>(most_table, base + allocation.bytes - pointer));
    }
  }
  std::vector<std::byte> table;
  for (const auto& [pointer, bytes] : first) {
    table.resize(bytes);
    if (driver_.download(table.data(), pointer, bytes) != CUDA_SUCCESS) continue;
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes; at += sizeof(std::uint64_t)) {
      std::uint64_t value = 0;
      std::memcpy(&value, table.data() + at, sizeof value);
      (void)add(value);
    }
  }
}

std::vector<Window> ReachedMemory::windows(std::uint64_t most,
                                           std::vector<std::string>& notes) const {
  // The small ones are kept whole while their sum leaves the others a fair share.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> by_size;  // bytes, address
  for (const auto& [base, allocation] : allocations_) by_size.emplace_back(allocation.bytes, base);
  std::sort(by_size.begin(), by_size.end());
  std::uint64_t left = most;
  std::vector<Window> kept;
  for (std::size_t i = 0; i < by_size.size(); ++i) {
    const auto [bytes, base] = by_size[i];
    const auto& allocation = allocations_.at(base);
    const auto share = left / (by_size.size() - i);
    if (bytes <= share) {
      kept.push_back({base, bytes, allocation.place, bytes});
      left -= bytes;
      continue;
    }
    auto pointers = allocation.pointers;
    std::sort(pointers.begin(), pointers.end());
    const auto each = share / pointers.size() / granule * granule;
    std::uint64_t of_this = 0;
    std::uint64_t end = base;
    for (const auto pointer : pointers) {
      const auto from = std::max(end, pointer / capture::page * capture::page);
      const auto to = std::min(base + bytes, pointer / capture::page * capture::page + each);
      if (to <= from) continue;
      const bool joins = of_this > 0 && from == end;
      if (joins) {
        kept.back().bytes += to - from;
      } else {
        kept.push_back({from, to - from, allocation.place, bytes});
      }
      of_this += to - from;
      end = to;
    }
    left -= std::min(left, of_this);
    notes.push_back("of an allocation of " + in_mib(bytes) + " only " + in_mib(of_this) +
                    " are kept, " + in_mib(each) + " from each of " +
                    std::to_string(pointers.size()) +
                    " pointers on: a kernel that reads beyond fails (--max-bytes keeps more)");
  }
  std::sort(kept.begin(), kept.end(),
            [](const Window& a, const Window& b) { return a.address < b.address; });
  std::uint64_t on_host = 0;
  for (const auto& window : kept) {
    if (window.place == Place::host) on_host += window.bytes;
  }
  if (on_host > 0) {
    notes.push_back("the kernel may use " + in_mib(on_host) +
                    " of pinned host memory: they are put back as pinned host memory");
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
  return "copying from the device: error " + std::to_string(result);
}

std::string StateWriter::write(const capture::CapturedLaunch& launch,
                               const std::vector<CUdeviceptr>& variables, bool changes) {
  const auto path = folder_ + "/" + (changes ? capture::changes_file : capture::before_file);
  const auto old = folder_ + "/" + capture::before_file;
  const File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.number < 0) return error_text(path);
  const File before(changes ? ::open(old.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1);
  if (changes && before.number < 0) return error_text(old);
  if (::ftruncate(file.number, static_cast<off_t>(capture::state_bytes(launch))) != 0) {
    return error_text(path);
  }
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
      if (!write_sparse(file.number, now.data(), size, places[i].at + from)) {
        return error_text(path);
      }
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
