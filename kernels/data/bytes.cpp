#include "kernels/data/bytes.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>

#include "kernels/data/data.hpp"

namespace apod {
namespace {

/// Calls work(begin, size) for parts of [0, bytes).
template <class Work>
void in_parts(std::size_t bytes, const Work& work) {
  constexpr std::size_t worth_threads = std::size_t{4} << 20;
  if (bytes == 0) return;
  if (bytes < worth_threads) return work(std::size_t{0}, bytes);
  parallel_for(static_cast<std::int64_t>(bytes), [&](std::int64_t first, std::int64_t last) {
    work(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
  });
}

}  // namespace

void fill_bytes(std::span<std::byte> target, std::byte value) {
  in_parts(target.size(), [&](std::size_t begin, std::size_t size) {
    std::memset(target.data() + begin, static_cast<int>(value), size);
  });
}

void copy_bytes(std::span<std::byte> target, std::span<const std::byte> source) {
  in_parts(source.size(), [&](std::size_t begin, std::size_t size) {
    std::memcpy(target.data() + begin, source.data() + begin, size);
  });
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (a.size() != b.size()) return false;
  std::atomic<bool> same{true};
  in_parts(a.size(), [&](std::size_t begin, std::size_t size) {
    if (std::memcmp(a.data() + begin, b.data() + begin, size) != 0) same = false;
  });
  return same;
}

}  // namespace apod
