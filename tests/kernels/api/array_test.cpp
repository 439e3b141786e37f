#include "kernels/data/array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>

namespace apod {
namespace {

TEST(Arrays, HoldWhatTheyAreGiven) {
  // One page, and more than one large page with parts of others at both ends.
  for (const std::size_t size : {std::size_t{1000}, (std::size_t{5} << 20) + 321}) {
    Array<char> array(size, 'a');
    EXPECT_EQ(std::count(array.begin(), array.end(), 'a'), std::ptrdiff_t(size));
    array.resize(size + 1);  // elsewhere, with what it held
    EXPECT_EQ(std::count(array.begin(), array.end() - 1, 'a'), std::ptrdiff_t(size));
  }
}

TEST(Arrays, TouchNothingBesideTheirMemory) {
  constexpr std::size_t size = std::size_t{4} << 20;
  Array<char> around(size + 2, 'a');
  for (const std::size_t begin : {0, 1, 2}) {
    std::fill(around.begin(), around.end(), 'a');
    touch_pages(around.data() + begin, size);
    for (std::size_t i = 0; i < around.size(); ++i) {
      if (i >= begin && i < begin + size) continue;
      ASSERT_EQ(around[i], 'a') << i;
    }
  }
}

TEST(Arrays, SayWhenThereIsNoMemory) {
  constexpr auto most = std::numeric_limits<std::ptrdiff_t>::max() / std::ptrdiff_t{sizeof(float)};
  EXPECT_THROW(Floats(std::size_t{most}), std::bad_alloc);
}

}  // namespace
}  // namespace apod
