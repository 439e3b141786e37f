#include "kernels/data/array.hpp"

#include <sys/mman.h>

#include <cstdint>

#include "kernels/data/data.hpp"

namespace apod {

void touch_pages(void* memory, std::size_t bytes) {
  constexpr std::size_t page = 4096;
  constexpr std::size_t large_page = std::size_t{2} << 20;
  if (bytes < large_page) return;  // starting threads would take longer
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const auto first = (begin + page - 1) / page * page;
  const auto last = (begin + bytes) / page * page;
  auto* const pages = static_cast<std::byte*>(memory) + (first - begin);
  (void)::madvise(pages, last - first, MADV_HUGEPAGE);
  parallel_for(static_cast<std::int64_t>((last - first) / page),
               [&](std::int64_t from, std::int64_t to) {
                 for (auto i = from; i < to; ++i) {
                   ::new (pages + static_cast<std::size_t>(i) * page) std::byte{};
                 }
               });
}

}  // namespace apod
