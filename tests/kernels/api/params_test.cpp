#include "kernels/api/params.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

namespace apod {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

TEST(Shapes, AreReadAsRowsByColumns) {
  EXPECT_EQ(parse_shape("200x300"), (Shape{200, 300}));
  EXPECT_EQ(parse_shape("200"), (Shape{200, 200}));
  EXPECT_EQ(parse_shape("1x1"), (Shape{1, 1}));
  EXPECT_EQ(parse_shape("1x9223372036854775807"), (Shape{1, largest}));
}

TEST(Shapes, AreWrittenAsTheyAreRead) {
  EXPECT_EQ(to_string(Shape{200, 300}), "200x300");
  EXPECT_EQ(parse_shape(to_string(Shape{7, largest / 7})), (Shape{7, largest / 7}));
}

TEST(Shapes, RefuseEverythingElse) {
  for (const std::string shape :
       {"", "x", "3x", "x3", "0", "0x3", "3x0", "-3", "-3x-3", "+3", "3x4x5", "3X4", " 3", "3 ",
        "3 x4", "1e3", "0x10", "3.0", "abc", "9223372036854775808", "99999999999999999999x1",
        // The product has to fit.
        "4611686018427387904x2", "9223372036854775807", "3037000500"}) {
    EXPECT_EQ(parse_shape(shape), std::nullopt) << "'" << shape << "'";
  }
  EXPECT_NE(parse_shape("3037000499"), std::nullopt) << "its square is below 2^63";
}

TEST(AxisValues, AreWrittenAsAPersonWritesThem) {
  EXPECT_EQ(to_string(AxisValue{-5}), "-5");
  EXPECT_EQ(to_string(AxisValue{largest}), "9223372036854775807");
  EXPECT_EQ(to_string(AxisValue{std::string("pinned")}), "pinned");
}

TEST(ParamsOfACase, KeepTheirOrderAndReplaceInPlace) {
  Params params;
  params.set("size", 1000);
  params.set("variant", "cub");
  params.set("size", 2000);
  ASSERT_EQ(params.entries().size(), 2u);
  EXPECT_EQ(params.entries()[0], std::pair(std::string("size"), AxisValue(2000)));
  EXPECT_EQ(params.entries()[1], std::pair(std::string("variant"), AxisValue("cub")));
  EXPECT_EQ(params.integer("size"), 2000);
  EXPECT_EQ(params.text("variant"), "cub");
}

TEST(ParamsOfACase, AreEqualOnlyInTheSameOrder) {
  Params first;
  first.set("a", 1);
  first.set("b", 2);
  Params second;
  second.set("b", 2);
  second.set("a", 1);
  EXPECT_NE(first, second);
  EXPECT_EQ(first, Params(first));
}

TEST(ParamsOfACase, FallBackOnlyWhenTheAxisIsAbsent) {
  Params params;
  params.set("accumulator", "fp64");
  params.set("streams", 4);
  EXPECT_EQ(params.integer_or("streams", 1), 4);
  EXPECT_EQ(params.integer_or("size", 7), 7);
  EXPECT_EQ(params.choice_or("accumulator", Number::fp32), Number::fp64);
  EXPECT_EQ(params.choice_or("host_memory", MemoryKind::pinned), MemoryKind::pinned);
  EXPECT_THROW(params.integer_or("accumulator", 1), std::out_of_range);
  EXPECT_THROW(params.choice_or("streams", Number::fp32), std::out_of_range);
  EXPECT_THROW(params.choice_or("accumulator", MemoryKind::pinned), std::out_of_range)
      << "fp64 names no kind of memory";
}

TEST(ParamsOfACase, NameTheAxisThatIsWrong) {
  Params params;
  params.set("size", "many");
  for (const auto& ask : {+[](const Params& p) { static_cast<void>(p.integer("size")); },
                          +[](const Params& p) { static_cast<void>(p.shape("size")); }}) {
    try {
      ask(params);
      FAIL() << "nothing was thrown";
    } catch (const std::out_of_range& error) {
      EXPECT_NE(std::string(error.what()).find("'size'"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(static_cast<void>(params.text("absent")), std::out_of_range);
  EXPECT_THROW(static_cast<void>(params.integer("absent")), std::out_of_range);
  EXPECT_THROW(static_cast<void>(params.shape("absent")), std::out_of_range);
}

TEST(ParamsOfACase, TakeAnIntegerForASquare) {
  Params params;
  params.set("size", 8);
  EXPECT_EQ(params.shape("size"), (Shape{8, 8}));
  params.set("size", "8x4");
  EXPECT_EQ(params.shape("size"), (Shape{8, 4}));
  params.set("size", -8);
  EXPECT_THROW(static_cast<void>(params.shape("size")), std::out_of_range);
}

}  // namespace
}  // namespace apod
