/// The aggregation by group: its keys, its reference, and that wrong results are found.

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "kernels/groupby/problem.hpp"
#include "tests/kernels/problems.hpp"

namespace apod::test {
namespace {

using groupby::Count;
using groupby::GroupBy;
using groupby::Row;

/// Counts, sums and means of a part of the groups, as a chunk writes them; without means, what it
/// leaves for the others.
template <class T>
std::vector<std::byte> result(const std::vector<Count>& counts, const std::vector<T>& sums,
                              const std::vector<T>& means = {}) {
  auto bytes = bytes_of(counts);
  for (const auto& column : {sums, means}) {
    const auto more = bytes_of(column);
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  return bytes;
}

/// Four groups, the third without rows: counts 2 1 0 3, sums 1.75 -8 0 6.5.
GroupBy by_hand(Number accumulator) {
  return {{{0, 1.5F}, {3, 2.0F}, {1, -8.0F}, {0, 0.25F}, {3, 4.0F}, {3, 0.5F}}, 4, accumulator};
}

template <class T>
class GroupByOf : public testing::Test {
 protected:
  static constexpr Number accumulator = sizeof(T) == 8 ? Number::fp64 : Number::fp32;
  const GroupBy problem = by_hand(accumulator);
  const std::vector<Count> counts{2, 1, 0, 3};
  const std::vector<T> sums{T(1.75), -8, 0, T(6.5)};
  const std::vector<T> means{T(0.875), -8, 0, T(6.5) / 3};
};
using Accumulators = testing::Types<float, double>;
TYPED_TEST_SUITE(GroupByOf, Accumulators);

TYPED_TEST(GroupByOf, ResultByHandPasses) {
  const auto check = this->problem.verify(result(this->counts, this->sums, this->means), 1);
  EXPECT_TRUE(check.passed) << check.detail;
  EXPECT_LE(check.error, check.tolerance);
  // Two chunks write two groups each.
  auto halves = result<TypeParam>({2, 1}, {TypeParam(1.75), -8}, {TypeParam(0.875), -8});
  const auto rest = result<TypeParam>({0, 3}, {0, TypeParam(6.5)}, {0, TypeParam(6.5) / 3});
  halves.insert(halves.end(), rest.begin(), rest.end());
  EXPECT_TRUE(this->problem.verify(halves, 2).passed);
}

TYPED_TEST(GroupByOf, EveryNumberIsChecked) {
  auto columns = std::tuple(this->counts, this->sums, this->means);
  const auto fails = [&](const char* what, std::size_t group) {
    const auto check = this->problem.verify(
        result(std::get<0>(columns), std::get<1>(columns), std::get<2>(columns)), 1);
    const auto place = std::string(what) + " of group " + std::to_string(group);
    EXPECT_FALSE(check.passed) << place;
    EXPECT_GT(check.error, check.tolerance) << place;
    EXPECT_NE(check.detail.find("the " + place), std::string::npos) << check.detail;
  };
  const auto fails_with = [&](const char* what, std::size_t group, auto& number, auto wrong) {
    const auto right = std::exchange(number, wrong);
    fails(what, group);
    number = right;
  };
  for (std::size_t g = 0; g < 4; ++g) {
    auto& sum = std::get<1>(columns)[g];
    auto& mean = std::get<2>(columns)[g];
    fails_with("count", g, std::get<0>(columns)[g], this->counts[g] + 1);
    fails_with("sum", g, sum, sum + TypeParam(1e-4));
    fails_with("sum", g, sum, TypeParam(nan));
    fails_with("mean", g, mean, mean + TypeParam(1e-4));
    fails_with("mean", g, mean, TypeParam(nan));
  }
}

TYPED_TEST(GroupByOf, PartialValuesAreAdded) {
  auto partials = result<TypeParam>({1, 0, 0, 2}, {1.5, 0, 0, 6});
  const auto second = result<TypeParam>({1, 1, 0, 1}, {0.25, -8, 0, 0.5});
  ASSERT_EQ(this->problem.partial_bytes(), second.size());
  partials.insert(partials.end(), second.begin(), second.end());
  EXPECT_EQ(this->problem.combine(partials), result<TypeParam>(this->counts, this->sums));
}

/// fp32 counts a billion rows as well as it does ten: no order of additions rounds halves.
TEST(GroupBy, NothingIsAllowedWhereNothingRounds) {
  const auto exact = by_hand(Number::fp32);
  const auto off = std::nextafter(6.5F, 7.0F);
  const auto check =
      exact.verify(result<float>({2, 1, 0, 3}, {1.75F, -8, 0, off}, {0.875F, -8, 0, off / 3}), 1);
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.tolerance, 0);
}

TEST(GroupBy, ToleranceGrowsWithTheRootOfTheRows) {
  const auto tolerance = [](std::size_t n) {
    // Thirds are multiples of no large power of two.
    const GroupBy problem(std::vector<Row>(n, {0, 1.0F / 3}), 1, Number::fp32);
    const auto at = [&](double error) {
      const auto mean = static_cast<double>(1.0F / 3) * (1 + error);
      const auto sum = mean * static_cast<double>(n);
      return problem.verify(
          result<float>({n}, {static_cast<float>(sum)}, {static_cast<float>(mean)}), 1);
    };
    EXPECT_TRUE(at(0).passed) << at(0).detail;
    const auto wrong = at(0.01);
    EXPECT_FALSE(wrong.passed);
    EXPECT_TRUE(at(0.7 * wrong.tolerance).passed);
    EXPECT_FALSE(at(-1.5 * wrong.tolerance).passed);
    return wrong.tolerance;
  };
  const double few = tolerance(10'000);
  EXPECT_NEAR(few, 8 * 100 * 0x1p-24, few * 0.01);
  EXPECT_NEAR(tolerance(1'000'000), 10 * few, few * 0.1);
}

std::vector<Row> rows_of(const Problem& problem) {
  std::vector<Row> rows(problem.input().size() / sizeof(Row));
  std::memcpy(rows.data(), problem.input().data(), problem.input().size());
  return rows;
}

std::vector<Row> made(const std::string& keys, std::int64_t groups) {
  return rows_of(*make("groupby", DataSpec::Kind::uniform,
                       {{"size", 100'000}, {"groups", groups}, {"keys", keys}}));
}

TEST(GroupBy, KeysAreDistributedAsAsked) {
  for (const std::string keys : {"uniform", "skewed", "sorted"}) {
    std::vector<double> counts(10);
    for (const auto& row : made(keys, 10)) ++counts.at(static_cast<std::size_t>(row.key));
    const double first = keys == "skewed" ? 55'000 : 10'000;
    const double others = keys == "skewed" ? 5'000 : 10'000;
    const double spread = keys == "sorted" ? 0 : 500;
    EXPECT_NEAR(counts[0], first, spread) << keys;
    for (std::size_t k = 1; k < 10; ++k) EXPECT_NEAR(counts[k], others, spread) << keys;
  }
  const auto sorted = made("sorted", 1000);
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end(),
                             [](const Row& a, const Row& b) { return a.key < b.key; }));
}

TEST(GroupBy, KeysComeFromTheSeedAndDoNotFollowTheValues) {
  const auto rows = made("uniform", 2);
  const auto again = made("uniform", 2);
  EXPECT_EQ(bytes_of(rows), bytes_of(again));
  double sum = 0;
  for (const auto& row : rows) sum += row.key == 0 ? row.value : -row.value;
  EXPECT_LT(std::abs(sum), 1000) << "the mean value of both keys is 0.5";

  const auto params = params_of(family("groupby"), {{"size", 1000}});
  std::set<std::vector<std::int32_t>> different;
  for (const std::uint64_t seed : {1, 2, 3}) {
    std::vector<std::int32_t> keys;
    for (const auto& row : rows_of(*family("groupby").make(params, {.seed = seed}))) {
      keys.push_back(row.key);
    }
    different.insert(keys);
  }
  EXPECT_EQ(different.size(), 3u);
}

/// More rows than a strand: fp32 that adds them one by one would stand still at 2^24 ones.
TEST(GroupBy, HostAddsManyOnes) {
  constexpr std::size_t n = (std::size_t{1} << 24) + 5;
  const std::vector<Row> rows(n, {1, 1.0F});
  const auto cells = groupby::aggregate<groupby::Cell<float>>(rows.data(), n, 2);
  EXPECT_EQ(cells[0].count, 0u);
  EXPECT_EQ(cells[1].count, n);
  EXPECT_EQ(cells[1].sum, static_cast<float>(n));
}

/// The errors of equal values all point the same way: they must not add up.
TEST(GroupBy, HostAddsEqualValues) {
  constexpr std::size_t n = 1'000'000;
  const float value = 77.0F / 255;
  const std::vector<Row> rows(n, {0, value});
  const auto cells = groupby::aggregate<groupby::Cell<float>>(rows.data(), n, 1);
  const double wanted = static_cast<double>(value) * n;
  EXPECT_NEAR(cells[0].sum / wanted, 1, 1e-6);
}

}  // namespace
}  // namespace apod::test
