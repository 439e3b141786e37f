#include "kernels/api/types.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace apod {
namespace {

template <class E>
class NamesOfEnum : public ::testing::Test {};
using Enums = ::testing::Types<BackendKind, MemoryKind, Number, StreamPool, EnqueueOrder,
                               ChunkLaunch, DataSpec::Kind>;
TYPED_TEST_SUITE(NamesOfEnum, Enums);

TYPED_TEST(NamesOfEnum, AreReadAsTheyAreWritten) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < EnumNames<TypeParam>::names.size(); ++i) {
    const auto value = static_cast<TypeParam>(i);
    EXPECT_FALSE(to_string(value).empty());
    EXPECT_TRUE(seen.insert(to_string(value)).second) << "two values share " << to_string(value);
    EXPECT_EQ(parse<TypeParam>(to_string(value)), value);
  }
}

TYPED_TEST(NamesOfEnum, AreExact) {
  const std::string name(EnumNames<TypeParam>::names.front());
  for (const auto& other : {std::string(), name + " ", " " + name, name.substr(1), "X" + name}) {
    EXPECT_EQ(parse<TypeParam>(other), std::nullopt) << "'" << other << "'";
  }
}

TEST(Types, NamesStandInTheOrderOfTheValues) {
  EXPECT_EQ(to_string(BackendKind::cuda), "cuda");
  EXPECT_EQ(to_string(MemoryKind::device), "device");
  EXPECT_EQ(to_string(Number::fp64), "fp64");
  EXPECT_EQ(to_string(StreamPool::aliased), "aliased");
  EXPECT_EQ(to_string(DataSpec::Kind::file), "file");
}

TEST(Types, SizesOfScalars) {
  EXPECT_EQ(size_of(Number::fp32), sizeof(float));
  EXPECT_EQ(size_of(Number::fp64), sizeof(double));
}

}  // namespace
}  // namespace apod
