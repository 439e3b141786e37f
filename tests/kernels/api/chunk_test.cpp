#include "kernels/api/chunk.hpp"

#include <gtest/gtest.h>

namespace apod {
namespace {

TEST(Chunks, OfAMapHaveTheirOutputWhereTheirInputIs) {
  const auto last = split_map(1000, 2, 3);
  EXPECT_EQ(last.end, 1000);
  EXPECT_EQ(last.begin % 64, 0);
  EXPECT_EQ(last.output_offset, last.input_offset);
  EXPECT_EQ(last.output_offset, static_cast<std::size_t>(last.begin) * sizeof(float));
  EXPECT_EQ(last.output_bytes, static_cast<std::size_t>(1000 - last.begin) * sizeof(float));
}

TEST(Chunks, OfRecordsCoverThemOnce) {
  std::int64_t next = 0;
  for (std::int64_t i = 0; i < 4; ++i) {
    const auto chunk = split_records(10, 12, 20, i, 4);
    EXPECT_EQ(chunk.begin, next);
    EXPECT_EQ(chunk.input_begin, chunk.begin);
    EXPECT_EQ(chunk.input_end, chunk.end);
    EXPECT_EQ(chunk.input_offset, static_cast<std::size_t>(next) * 12);
    EXPECT_EQ(chunk.output_offset, static_cast<std::size_t>(next) * 20);
    EXPECT_EQ(chunk.input_bytes, static_cast<std::size_t>(chunk.end - chunk.begin) * 12);
    EXPECT_EQ(chunk.output_bytes, static_cast<std::size_t>(chunk.end - chunk.begin) * 20);
    next = chunk.end;
  }
  EXPECT_EQ(next, 10);
  EXPECT_EQ(split_records(2, 4, 4, 0, 3).input_bytes, 0u) << "more chunks than records";
}

}  // namespace
}  // namespace apod
