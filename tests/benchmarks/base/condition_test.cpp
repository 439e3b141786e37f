#include <gtest/gtest.h>

#include "benchmarks/base/experiment.hpp"

namespace apod {
namespace {

Condition condition(Comparator comparator, std::vector<Operand> operands) {
  return {comparator, std::move(operands), ""};
}

Params params() {
  Params p;
  p.set("variant", std::string("cub"));
  p.set("size", std::int64_t{1'000'000});
  p.set("streams", std::int64_t{4});
  p.set("shape", std::string("200x200"));
  return p;
}

TEST(Condition, ComparesNumbers) {
  const auto p = params();
  const AxisValue four = std::int64_t{4};
  EXPECT_TRUE(holds(condition(Comparator::eq, {4.0}), four, p));
  EXPECT_FALSE(holds(condition(Comparator::ne, {4.0}), four, p));
  EXPECT_FALSE(holds(condition(Comparator::lt, {4.0}), four, p));
  EXPECT_TRUE(holds(condition(Comparator::lt, {5.0}), four, p));
  EXPECT_TRUE(holds(condition(Comparator::le, {4.0}), four, p));
  EXPECT_FALSE(holds(condition(Comparator::le, {3.0}), four, p));
  EXPECT_FALSE(holds(condition(Comparator::gt, {4.0}), four, p));
  EXPECT_TRUE(holds(condition(Comparator::gt, {3.0}), four, p));
  EXPECT_TRUE(holds(condition(Comparator::ge, {4.0}), four, p));
  EXPECT_FALSE(holds(condition(Comparator::ge, {5.0}), four, p));
  EXPECT_TRUE(holds(condition(Comparator::is_one_of, {1.0, 4.0}), four, p));
  EXPECT_FALSE(holds(condition(Comparator::is_one_of, {1.0, 2.0}), four, p));
}

TEST(Condition, IgnoresRounding) {
  const auto p = params();
  EXPECT_TRUE(holds(condition(Comparator::eq, {0.3}), 0.1 + 0.2, p));
  EXPECT_TRUE(holds(condition(Comparator::le, {0.3}), 0.1 + 0.2, p));
  EXPECT_FALSE(holds(condition(Comparator::gt, {0.3}), 0.1 + 0.2, p));
  EXPECT_FALSE(holds(condition(Comparator::eq, {0.3}), 0.3001, p));
  EXPECT_TRUE(holds(condition(Comparator::eq, {0.0}), 0.0, p));
  EXPECT_FALSE(holds(condition(Comparator::eq, {0.0}), 1e-300, p));
}

TEST(Condition, TakesTheValueOfAnAxisOfThatName) {
  const auto p = params();
  EXPECT_TRUE(holds(condition(Comparator::eq, {std::string("streams")}), 4.0, p));
  EXPECT_FALSE(holds(condition(Comparator::eq, {std::string("streams")}), 1.0, p));
  EXPECT_TRUE(holds(condition(Comparator::lt, {std::string("size")}), 4.0, p));
  EXPECT_TRUE(holds(condition(Comparator::is_one_of, {1.0, std::string("streams")}), 4.0, p));
}

TEST(Condition, ComparesWordsForEqualityOnly) {
  const auto p = params();
  const AxisValue cub = std::string("cub");
  EXPECT_TRUE(holds(condition(Comparator::eq, {std::string("cub")}), cub, p));
  EXPECT_TRUE(holds(condition(Comparator::ne, {std::string("thrust")}), cub, p));
  EXPECT_FALSE(holds(condition(Comparator::lt, {std::string("zzz")}), cub, p));
  EXPECT_FALSE(holds(condition(Comparator::le, {std::string("cub")}), cub, p));
}

TEST(Condition, BetweenNumberAndWordIsOnlyUnequal) {
  const auto p = params();
  for (const auto comparator : {Comparator::eq, Comparator::lt, Comparator::le, Comparator::gt,
                                Comparator::ge, Comparator::is_one_of}) {
    EXPECT_FALSE(holds(condition(comparator, {std::string("pinned")}), 1.0, p));
  }
  EXPECT_TRUE(holds(condition(Comparator::ne, {std::string("pinned")}), 1.0, p));
}

TEST(Condition, WithoutOperandNeverHolds) {
  EXPECT_FALSE(holds(condition(Comparator::ne, {}), 1.0, params()));
  EXPECT_FALSE(holds(condition(Comparator::is_one_of, {}), 1.0, params()));
}

TEST(Condition, IsWrittenWithItsName) {
  EXPECT_EQ(to_string("streams", {Comparator::gt, {1.0}, "> 1"}), "streams > 1");
  EXPECT_EQ(to_string("variant", {Comparator::eq, {std::string("cub")}, "cub"}), "variant == cub");
  EXPECT_EQ(to_string("size", {Comparator::is_one_of, {1.0, 2.0}, "[1, 2]"}), "size in [1, 2]");
}

TEST(Matches, NeedsEveryConditionAndEveryAxis) {
  const auto p = params();
  EXPECT_TRUE(matches({}, p));
  const std::pair<std::string, Condition> cub{"variant",
                                              condition(Comparator::eq, {std::string("cub")})};
  const std::pair<std::string, Condition> many{"streams", condition(Comparator::gt, {1.0})};
  const std::pair<std::string, Condition> small{"size", condition(Comparator::lt, {10.0})};
  const std::pair<std::string, Condition> absent{"mask", condition(Comparator::ne, {3.0})};
  EXPECT_TRUE(matches({cub, many}, p));
  EXPECT_FALSE(matches({cub, small}, p));
  EXPECT_FALSE(matches({cub, absent}, p));
}

}  // namespace
}  // namespace apod
