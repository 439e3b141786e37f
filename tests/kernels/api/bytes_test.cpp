#include "kernels/data/bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace apod {
namespace {

TEST(Bytes, AreFilledCopiedAndComparedToTheLast) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, (std::size_t{9} << 20) + 3}) {
    std::vector<std::byte> a(size);
    std::vector<std::byte> b(size, std::byte{1});
    fill_bytes(a, std::byte{7});
    EXPECT_EQ(std::count(a.begin(), a.end(), std::byte{7}), std::ssize(a));
    EXPECT_EQ(same_bytes(a, b), size == 0);
    copy_bytes(b, a);
    EXPECT_TRUE(same_bytes(a, b));
    if (size == 0) continue;
    for (const auto at : {std::size_t{0}, size / 2, size - 1}) {
      b[at] = std::byte{8};
      EXPECT_FALSE(same_bytes(a, b)) << at;
      b[at] = std::byte{7};
    }
    EXPECT_FALSE(same_bytes(a, std::span(b).first(size - 1)));
  }
}

}  // namespace
}  // namespace apod
