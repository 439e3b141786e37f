#include "kernels/data/data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

#include "tests/kernels/api/temporary_folder.hpp"

namespace apod {
namespace {

using Kind = DataSpec::Kind;
constexpr std::int64_t million = 1'000'000;

DataSpec uniform(std::uint64_t seed = 42) {
  return {Kind::uniform, seed, ""};
}
DataSpec normal(std::uint64_t seed = 42) {
  return {Kind::normal, seed, ""};
}
DataSpec file(const std::string& path) {
  return {Kind::file, 42, path};
}

/// The mean of f(x) over `values`.
template <class Function>
double mean_of(const Floats& values, const Function& f) {
  double sum = 0;
  for (const float x : values) sum += f(static_cast<double>(x));
  return sum / static_cast<double>(values.size());
}

/// The mean of x[i] * y[i + shift], of values of mean 0 and variance 1: their correlation.
double correlation(const Floats& x, const Floats& y, std::size_t shift) {
  double sum = 0;
  for (std::size_t i = 0; i + shift < y.size(); ++i)
    sum += static_cast<double>(x[i]) * y[i + shift];
  return sum / static_cast<double>(y.size() - shift);
}

TEST(DataSpecs, AreWrittenForReports) {
  EXPECT_EQ(to_string(DataSpec{Kind::ones, 7, ""}), "ones");
  EXPECT_EQ(to_string(uniform(42)), "uniform(seed 42)");
  EXPECT_EQ(to_string(normal(18446744073709551615u)), "normal(seed 18446744073709551615)");
  EXPECT_EQ(to_string(file("photo.pgm")), "file photo.pgm");
}

TEST(Vectors, OfOnesHoldOnes) {
  EXPECT_EQ(*make_vector({Kind::ones, 42, ""}, 100'003), Floats(100'003, 1));
}

TEST(Vectors, MayBeEmpty) {
  for (const Kind kind : {Kind::ones, Kind::uniform, Kind::normal}) {
    EXPECT_TRUE(make_vector({kind, 42, ""}, 0)->empty());
  }
}

// From an independent computation with Python's integers and floats. Published errors depend on
// these values: another generator is another experiment.
TEST(Vectors, HoldTheSameValuesOnEveryMachine) {
  const auto u = make_vector(uniform(42), million + 1);
  EXPECT_EQ((*u)[0], 11706073 * 0x1p-24f);
  EXPECT_EQ((*u)[1], 5759482 * 0x1p-24f);
  EXPECT_EQ((*u)[2], 16034769 * 0x1p-24f);
  EXPECT_EQ((*u)[million], 15435613 * 0x1p-24f);
  const auto n = make_vector(normal(42), million + 1);
  EXPECT_NEAR((*n)[0], -0.8338441152096441, 1e-6);
  EXPECT_NEAR((*n)[1], -1.154223280460959, 1e-6);
  EXPECT_NEAR((*n)[2], 0.30071915649008235, 1e-6);
  EXPECT_NEAR((*n)[million], -0.3570054186673819, 1e-6);
}

TEST(Vectors, AreAPrefixOfLongerOnes) {
  for (const auto& spec : {uniform(7), normal(7)}) {
    const auto longer = make_vector(spec, 100'003);
    for (const std::int64_t count : {1, 2, 1023, 1024, 1025, 70'001}) {
      const auto shorter = make_vector(spec, count);
      ASSERT_EQ(std::ssize(*shorter), count);
      EXPECT_TRUE(std::equal(shorter->begin(), shorter->end(), longer->begin())) << count;
    }
  }
}

// Bounds of five standard errors; the seeds are fixed, so a pass stays one.
TEST(Vectors, OfUniformValuesAreUniform) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{42}, ~std::uint64_t{0}}) {
    const auto values = make_vector(uniform(seed), million);
    const auto [least, most] = std::minmax_element(values->begin(), values->end());
    EXPECT_GE(*least, 0.0f);
    EXPECT_LT(*most, 1.0f);
    EXPECT_NEAR(mean_of(*values, [](double x) { return x; }), 0.5, 5 * std::sqrt(1 / 12e6));

    std::array<double, 100> buckets{};
    for (const float x : *values) ++buckets[static_cast<std::size_t>(x * 100)];
    double chi_squared = 0;
    for (const double n : buckets) chi_squared += (n - 1e4) * (n - 1e4) / 1e4;
    EXPECT_NEAR(chi_squared, 99, 5 * std::sqrt(2 * 99.0)) << "seed " << seed;
  }
}

TEST(Vectors, OfNormalValuesAreNormal) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{42}, ~std::uint64_t{0}}) {
    const auto values = make_vector(normal(seed), million);
    EXPECT_TRUE(
        std::all_of(values->begin(), values->end(), [](float x) { return std::isfinite(x); }));
    EXPECT_NEAR(mean_of(*values, [](double x) { return x; }), 0, 5e-3);
    EXPECT_NEAR(mean_of(*values, [](double x) { return x * x; }), 1, 5e-3 * std::sqrt(2.0));
    EXPECT_NEAR(mean_of(*values, [](double x) { return x * x * x; }), 0, 5e-3 * std::sqrt(15.0));
    EXPECT_NEAR(mean_of(*values, [](double x) { return x * x * x * x; }), 3,
                5e-3 * std::sqrt(96.0));
    EXPECT_NEAR(mean_of(*values, [](double x) { return std::abs(x) > 3; }), 0.0027, 5 * 5.2e-5);
  }
}

// The first 64 random bits of this seed are all 0, where the logarithm of a normal value is
// largest: sqrt(-2 log(2^-32)) = sqrt(64 log 2).
TEST(Vectors, AreFiniteAtTheEdgeOfTheGenerator) {
  constexpr std::uint64_t seed = 0x61c8864680b583eb;
  EXPECT_EQ(make_vector(uniform(seed), 1)->front(), 0.0f);
  EXPECT_NEAR(make_vector(normal(seed), 1)->front(), std::sqrt(64 * std::log(2.0)), 1e-6);
}

TEST(Vectors, OfNeighboursAndOfNextSeedsAreIndependent) {
  const auto values = make_vector(normal(1), million);
  const auto next_seed = make_vector(normal(2), million);
  EXPECT_NEAR(correlation(*values, *values, 0), 1, 1e-2) << "the measure itself";
  for (const std::size_t shift : {1, 2, 3, 1024}) {
    EXPECT_NEAR(correlation(*values, *values, shift), 0, 5e-3) << shift;
  }
  for (const std::size_t shift : {0, 1, 2}) {
    EXPECT_NEAR(correlation(*values, *next_seed, shift), 0, 5e-3) << shift;
  }
}

TEST(Vectors, AreSharedWhileTheyAreKept) {
  const auto first = make_vector(uniform(3), 1000);
  EXPECT_EQ(make_vector(uniform(3), 1000), first);
  EXPECT_NE(make_vector(uniform(4), 1000), first);
  EXPECT_NE(make_vector(normal(3), 1000), first);
  EXPECT_NE(make_vector(uniform(3), 1001), first);
}

TEST(Images, AreVectorsInRowMajorOrder) {
  EXPECT_EQ(*make_image(uniform(5), {30, 40}), *make_vector(uniform(5), 1200));
  EXPECT_EQ(*make_image(normal(5), {1, 7}), *make_vector(normal(5), 7));
  EXPECT_TRUE(make_image(uniform(5), {0, 40})->empty());
}

TEST(Arrays, OfImpossibleSizesAreRefused) {
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t count : {std::int64_t{-1}, largest, largest / 4 + 1}) {
    const auto error = error_of([&] { make_vector(uniform(), count); });
    EXPECT_NE(error.find(std::to_string(count)), std::string::npos) << error;
  }
  for (const Shape shape : {Shape{-1, 4}, Shape{4, -1}, Shape{-2, -2}, Shape{largest, 2}}) {
    const auto error = error_of([&] { make_image(uniform(), shape); });
    EXPECT_NE(error.find(to_string(shape)), std::string::npos) << error;
  }
}

TEST(Arrays, ThatDoNotFitTheHostSaySo) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer ends the process where operator new would throw";
#endif
  const auto error = error_of([] { make_vector(uniform(), std::int64_t{1} << 60); });
  EXPECT_NE(error.find("memory"), std::string::npos) << error;
}

// Grey g of a 4 x 6 image is row * 10 + column.
constexpr const char* grey_image =
    "P2\n6 4\n100\n"
    "0 1 2 3 4 5\n10 11 12 13 14 15\n20 21 22 23 24 25\n30 31 32 33 34 35\n";

std::vector<int> greys(const Floats& values) {
  std::vector<int> greys;
  for (const float x : values) greys.push_back(static_cast<int>(std::lround(x * 100)));
  return greys;
}

TEST(ArraysOfAFile, AreItsFirstValuesOrItsCentre) {
  const TemporaryFolder folder;
  const auto spec = file(folder.write("image.pgm", grey_image));
  EXPECT_EQ(greys(*make_vector(spec, 8)), (std::vector{0, 1, 2, 3, 4, 5, 10, 11}));
  EXPECT_EQ(make_vector(spec, 24)->size(), 24u);
  EXPECT_EQ(greys(*make_image(spec, {2, 2})), (std::vector{12, 13, 22, 23}));
  EXPECT_EQ(greys(*make_image(spec, {1, 3})), (std::vector{11, 12, 13})) << "an odd rest: up, left";
  EXPECT_EQ(*make_image(spec, {4, 6}), *make_vector(spec, 24));
  EXPECT_EQ(greys(*make_image(spec, {1, 6})), (std::vector{10, 11, 12, 13, 14, 15}))
      << "not the first six values";
  EXPECT_EQ(greys(*make_vector(spec, 6)), (std::vector{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(greys(*make_image(spec, {3, 2})), (std::vector{2, 3, 12, 13, 22, 23}));
  EXPECT_EQ(greys(*make_image(spec, {2, 3})), (std::vector{11, 12, 13, 21, 22, 23}));
}

TEST(ArraysOfAFile, NeedAFileThatIsLargeEnough) {
  const TemporaryFolder folder;
  const auto spec = file(folder.write("image.pgm", grey_image));
  const auto vector = error_of([&] { make_vector(spec, 25); });
  EXPECT_NE(vector.find("24 values; the problem needs 25"), std::string::npos) << vector;
  EXPECT_NE(vector.find(spec.file), std::string::npos) << vector;
  for (const Shape shape : {Shape{5, 6}, Shape{4, 7}, Shape{6, 4}}) {
    const auto image = error_of([&] { make_image(spec, shape); });
    EXPECT_NE(image.find("is 4x6"), std::string::npos) << image;
    EXPECT_NE(image.find("needs " + to_string(shape)), std::string::npos) << image;
  }
}

TEST(ArraysOfAFile, FollowTheFileWhenItChanges) {
  const TemporaryFolder folder;
  const auto spec = file(folder.write("image.pgm", "P2 2 1 1 0 1"));
  EXPECT_EQ(*make_vector(spec, 2), (Floats{0.0f, 1.0f}));
  folder.write("image.pgm", "P2 2 1 1 1 0");
  std::filesystem::last_write_time(
      spec.file, std::filesystem::last_write_time(spec.file) + std::chrono::seconds(2));
  EXPECT_EQ(*make_vector(spec, 2), (Floats{1.0f, 0.0f}));
}

TEST(ArraysOfAFile, AreNotKeptFromAFailure) {
  const TemporaryFolder folder;
  const auto spec = file(folder.path("late.pgm"));
  EXPECT_NE(error_of([&] { make_vector(spec, 1); }).find("no such file"), std::string::npos);
  folder.write("late.pgm", "P2 1 1 1 1");
  EXPECT_EQ(*make_vector(spec, 1), (Floats{1.0f}));
}

}  // namespace
}  // namespace apod
