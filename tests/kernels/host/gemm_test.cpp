/// The product of matrices: its types, its reference, what it takes for right, and its numbers.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/data/data.hpp"
#include "kernels/data/product_sides.hpp"
#include "kernels/gemm/problem.hpp"
#include "tests/kernels/problems.hpp"

namespace apod::test {
namespace {

using gemm::Operand;
using gemm::Reference;

Operand operand(Floats values, Shape shape, Number type = Number::fp32) {
  return {std::make_shared<const Floats>(std::move(values)), shape, type};
}

TEST(GemmOperand, SaysWhatIsTooLargeForItsType) {
  try {
    operand({1, 2, 3, 4, 70000, 6}, {2, 3}, Number::fp16);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), "row 1, column 1 is 70000.000000, too large for fp16");
  }
  EXPECT_NO_THROW(operand({70000}, {1, 1}, Number::bf16));
  EXPECT_THROW(operand({3.4e38F}, {1, 1}, Number::bf16), std::runtime_error);
}

// --- the reference ---

TEST(GemmOperation, IsItsPartsLeastWork) {
  const auto operation = gemm::operation({3, 5, 7, Number::fp16});
  EXPECT_EQ(encode(operation), "op gemm, fprop, 3x7 * 7x5, fp16, 210 FLOPs, 172 bytes");
}

TEST(GemmReference, KnowsAProductByHand) {
  // [1 2 3; 4 5 6] [7 8; 9 10; 11 12]
  for (const auto type : {Number::fp32, Number::tf32, Number::fp16, Number::bf16}) {
    const Reference reference(operand({1, 2, 3, 4, 5, 6}, {2, 3}, type),
                              operand({7, 8, 9, 10, 11, 12}, {3, 2}, type), type, 2);
    EXPECT_EQ(reference.rows().size(), 2U);
    const auto check = reference.check(bytes_of<float>({58, 64, 139, 154}));
    EXPECT_TRUE(check.passed) << check.detail;
    EXPECT_EQ(check.tolerance, 0) << "whole numbers have one right result";
    const auto wrong = reference.check(bytes_of<float>({58, 64, 139, 154.00002F}));
    EXPECT_FALSE(wrong.passed);
    EXPECT_NE(wrong.detail.find("row 1, column 1 is 154.000015, expected 154"), std::string::npos)
        << wrong.detail;
    EXPECT_FALSE(reference.check(bytes_of<float>({58, 139, 64, 154})).passed) << "transposed";
    EXPECT_FALSE(reference.check(bytes_of<float>({58, 64, nan, 154})).passed);
    EXPECT_FALSE(reference.check(bytes_of<float>({58, 64, 139})).passed) << "too short";
  }
}

/// A product of `kind` with its result in fp32, summed up in the order of k.
struct Made {
  Operand a, b;
  std::vector<float> c;
};
Made made(DataSpec::Kind kind, std::int64_t m, std::int64_t n, std::int64_t k, Number type) {
  Made result{{make_image({.kind = kind, .seed = 3}, {m, k}), {m, k}, type},
              {make_image({.kind = kind, .seed = 4}, {k, n}), {k, n}, type},
              std::vector<float>(static_cast<std::size_t>(m * n))};
  std::vector<float> left(static_cast<std::size_t>(k));
  std::vector<float> right(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < m; ++i) {
    result.a.read_row(i, 0, k, left.data());
    for (std::int64_t l = 0; l < k; ++l) {
      result.b.read_row(l, 0, n, right.data());
      float* out = result.c.data() + i * n;
      for (std::int64_t j = 0; j < n; ++j) {
        out[j] += left[static_cast<std::size_t>(l)] * right[static_cast<std::size_t>(j)];
      }
    }
  }
  return result;
}

TEST(GemmReference, ALostProductIsFoundAndRoundingIsNot) {
  for (const auto kind : {DataSpec::Kind::uniform, DataSpec::Kind::normal}) {
    for (const auto type : {Number::fp32, Number::fp16, Number::bf16}) {
      auto [a, b, c] = made(kind, 17, 19, 1000, type);
      const Reference reference(a, b, type, 17);
      ASSERT_TRUE(reference.check(bytes_of(c)).passed) << to_string(type);
      // The last of the sum, which a loop that ends too early leaves out.
      std::vector<float> last_of_a(1);
      std::vector<float> last_of_b(19);
      b.read_row(999, 0, 19, last_of_b.data());
      for (std::int64_t i = 0; i < 17; ++i) {
        a.read_row(i, 999, 1, last_of_a.data());
        for (std::size_t j = 0; j < 19; ++j) {
          c[static_cast<std::size_t>(i) * 19 + j] -= last_of_a[0] * last_of_b[j];
        }
      }
      EXPECT_FALSE(reference.check(bytes_of(c)).passed) << to_string(type);
    }
  }
}

TEST(GemmReference, SumsInHalfPrecisionAreWrong) {
  auto [a, b, c] = made(DataSpec::Kind::uniform, 8, 8, 512, Number::fp16);
  const Reference reference(a, b, Number::fp16, 8);
  for (float& value : c) value = from_fp16(to_fp16(value));
  EXPECT_FALSE(reference.check(bytes_of(c)).passed);
}

TEST(GemmReference, OfALargeProductEveryRowIsHeldAgainstSigns) {
  constexpr std::int64_t m = 61;
  constexpr std::int64_t n = 53;
  for (const auto kind : {DataSpec::Kind::ones, DataSpec::Kind::uniform, DataSpec::Kind::normal}) {
    const auto [a, b, c] = made(kind, m, n, 200, Number::fp32);
    const Reference reference(a, b, Number::fp32, 2);
    EXPECT_EQ(reference.rows(), (std::vector<std::int64_t>{0, m - 1}));
    const auto right = reference.check(bytes_of(c));
    ASSERT_TRUE(right.passed) << right.detail;
    for (const std::size_t at : {5 * n + 7, 30 * n, 59 * n + n - 1}) {
      auto wrong = c;
      wrong[at] += 0.05F * (kind == DataSpec::Kind::ones ? 200 : std::abs(wrong[at]) + 1);
      const auto check = reference.check(bytes_of(wrong));
      EXPECT_FALSE(check.passed) << at;
      EXPECT_NE(check.detail.find("row " + std::to_string(at / n) + " times random signs"),
                std::string::npos)
          << check.detail;
      wrong[at] = nan;
      EXPECT_FALSE(reference.check(bytes_of(wrong)).passed) << at;
    }
    if (kind == DataSpec::Kind::ones) continue;
    auto swapped = c;
    std::swap_ranges(swapped.begin() + 20 * n, swapped.begin() + 21 * n, swapped.begin() + 21 * n);
    EXPECT_FALSE(reference.check(bytes_of(swapped)).passed) << "rows 20 and 21";
    auto columns = c;
    for (std::size_t i = 1; i + 1 < m; ++i) std::swap(columns[i * n], columns[i * n + 1]);
    EXPECT_FALSE(reference.check(bytes_of(columns)).passed) << "columns 0 and 1 of unchecked rows";
  }
}

TEST(GemmReference, AffordableRowsAreSpreadOverAll) {
  EXPECT_EQ(gemm::checked_rows({100, 10, 10}), 100);
  EXPECT_EQ(gemm::checked_rows({100, 10, 10}, 500), 5);
  EXPECT_EQ(gemm::checked_rows({100, 10, 10}, 50), 2) << "two at least";
  EXPECT_EQ(gemm::checked_rows({1, 10, 10}, 50), 1);
  EXPECT_EQ(gemm::checked_rows({8192, 8192, 8192}), 32);
  EXPECT_EQ(gemm::checked_rows({1 << 20, 1 << 20, 1}), 4) << "what the host keeps is bounded too";
  const auto [a, b, c] = made(DataSpec::Kind::ones, 100, 10, 10, Number::fp32);
  EXPECT_EQ(Reference(a, b, Number::fp32, 5).rows(),
            (std::vector<std::int64_t>{0, 24, 49, 74, 99}));
  const auto params = [](const char* size) { return params_of(family("gemm"), {{"size", size}}); };
  EXPECT_EQ(family("gemm").reference_flops(params("1024x1024")), 4 * 0x1p30);
  EXPECT_EQ(family("gemm").reference_flops(params("1048576x1024")), 4 * 0x1p31) << "no more";
}

TEST(GemmReference, TolerancesGrowWithTheSum) {
  constexpr double u = 0x1p-24;
  EXPECT_NEAR(gemm::tolerance(Number::fp32, 1), u, 1e-6 * u);
  EXPECT_NEAR(gemm::tolerance(Number::fp32, 10'000), 400 * u, 1e-6 * u);
  EXPECT_EQ(gemm::tolerance(Number::fp16, 1), 16 * u);
  EXPECT_EQ(gemm::tolerance(Number::bf16, 4096), 4096 * u);
  EXPECT_EQ(gemm::tolerance(Number::tf32, 4096), 4096 * u);
  EXPECT_GT(gemm::tolerance(Number::fp32, std::int64_t{1} << 24), 0);
}

// --- the problem ---

TEST(Gemm, RoundsItsInputsToTheType) {
  const auto product_of = [](const char* type) {
    return make("gemm", DataSpec::Kind::uniform, {{"size", "3x5"}, {"n", 7}, {"type", type}});
  };
  for (const auto& [type, bytes] :
       {std::pair{"fp32", 4U}, {"tf32", 4U}, {"fp16", 2U}, {"bf16", 2U}}) {
    const auto problem = product_of(type);
    EXPECT_EQ(problem->input().size(), 15 * bytes);
    EXPECT_EQ(problem->constants().size(), 35 * bytes);
    EXPECT_EQ(problem->output_bytes(2), 21 * sizeof(float)) << "C is fp32";
    EXPECT_FALSE(
        std::equal(problem->input().begin(), problem->input().end(), problem->constants().begin()))
        << "A and B are different numbers";
  }
  for (const float value : input_of(*product_of("tf32"))) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(value) & 0x1FFFU, 0U);
  }
}

TEST(ProductSides, AreKnownByTheAxes) {
  const auto sides_of = [](const Point& point) {
    Params params;
    for (const auto& [name, value] : point) params.set(name, value);
    const auto sides = product_sides(params);
    return sides ? std::vector{sides->m, sides->n, sides->k} : std::vector<std::int64_t>{};
  };
  EXPECT_EQ(sides_of({}), std::vector<std::int64_t>{});
  EXPECT_EQ(sides_of({{"size", "3x5"}}), std::vector<std::int64_t>{}) << "an image";
  EXPECT_EQ(sides_of({{"size", 1000}, {"n", 7}}), std::vector<std::int64_t>{}) << "a count";
  EXPECT_EQ(sides_of({{"size", "3x5"}, {"n", 7}}), (std::vector<std::int64_t>{3, 7, 5}));
  EXPECT_EQ(sides_of({{"size", "3x5"}, {"n", 7}, {"m", 11}, {"k", 13}}),
            (std::vector<std::int64_t>{11, 7, 13}));
}

}  // namespace
}  // namespace apod::test
