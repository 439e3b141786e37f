/// The convolution against its definition, and wrong ones that must not pass.

#include <algorithm>
#include <cmath>

#include "tests/kernels/problems.hpp"

namespace apod::test {
namespace {

/// The definition, word for word: the tutorial's loop in fp64.
std::vector<float> convolve(const std::vector<float>& image, Shape shape,
                            const std::vector<float>& mask, std::int64_t width) {
  const auto radius = width / 2;
  std::vector<float> result;
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    for (std::int64_t j = 0; j < shape.cols; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < width; ++k) {
        for (std::int64_t l = 0; l < width; ++l) {
          const auto row = i - k + radius;
          const auto col = j - l + radius;
          if (row < 0 || row >= shape.rows || col < 0 || col >= shape.cols) continue;
          sum += static_cast<double>(mask[static_cast<std::size_t>(k * width + l)]) *
                 image[static_cast<std::size_t>(row * shape.cols + col)];
        }
      }
      result.push_back(static_cast<float>(sum));
    }
  }
  return result;
}

struct Convolved {
  std::unique_ptr<Problem> problem;
  std::vector<float> mask;
  std::vector<float> result;
};

Convolved convolved(DataSpec::Kind kind, Shape shape, std::int64_t width,
                    const char* accumulator = "fp32") {
  auto problem = make("convolution", kind,
                      {{"size", to_string(shape)}, {"mask", width}, {"accumulator", accumulator}});
  auto mask = floats_of(problem->constants());
  auto result = convolve(input_of(*problem), shape, mask, width);
  return {std::move(problem), std::move(mask), std::move(result)};
}

TEST(Convolution, ReferenceIsTheDefinition) {
  for (const auto kind : {DataSpec::Kind::ones, DataSpec::Kind::uniform, DataSpec::Kind::normal}) {
    for (const Shape shape : {Shape{1, 1}, {1, 7}, {7, 1}, {5, 5}, {33, 65}, {20, 1500}}) {
      for (const std::int64_t width : {1, 3, 13, 31}) {
        SCOPED_TRACE(to_string(shape) + " mask " + std::to_string(width));
        const auto [problem, mask, result] = convolved(kind, shape, width, "fp64");
        expect_right(*problem, result);
      }
    }
  }
}

TEST(Convolution, HostComputesEveryOddMask) {
  const auto backend = Registry::instance().backend(BackendKind::host)->open(0);
  auto cases = large_cases_of(family("convolution"));
  std::erase_if(cases, [](const Case& c) { return c.params.shape("size").rows > 100; });
  ASSERT_EQ(cases.size(), 16U * 2 * 2 * 2) << "masks, aligned rows or not, accumulators, chunks";
  run_cases(*backend, {"convolution", "host"}, cases);
}

TEST(Convolution, MaskIsPositiveAndAddsUpToOne) {
  const auto made = convolved(DataSpec::Kind::uniform, {40, 40}, 13);
  ASSERT_EQ(made.mask.size(), 169U);
  double sum = 0;
  for (const float weight : made.mask) {
    EXPECT_GE(weight, 0);
    sum += weight;
  }
  EXPECT_NEAR(sum, 1, 1e-6);
  const auto image = input_of(*made.problem);
  const auto again = convolved(DataSpec::Kind::ones, {40, 40}, 13);
  EXPECT_EQ(made.mask, again.mask) << "depends on the seed and the width alone";
  EXPECT_FALSE(std::equal(made.mask.begin() + 1, made.mask.end(), image.begin() + 1,
                          [&](float weight, float pixel) {
                            return std::abs(weight / made.mask[0] - pixel / image[0]) < 1e-3F;
                          }))
      << "the mask must not be the image's first values";
}

TEST(Convolution, WrongResultsFail) {
  const Shape shape{40, 50};
  for (const auto kind : {DataSpec::Kind::uniform, DataSpec::Kind::normal}) {
    const auto [problem, mask, right] = convolved(kind, shape, 13);
    const auto image = input_of(*problem);
    expect_right(*problem, right);
    auto turned = mask;
    std::reverse(turned.begin(), turned.end());
    expect_wrong(*problem, convolve(image, shape, turned, 13),
                 "a correlation is not a convolution");

    auto lost = mask;
    lost[80] = 0;
    expect_wrong(*problem, convolve(image, shape, lost, 13), "one weight is lost");

    auto wrong = right;
    wrong.back() = nan;
    expect_wrong(*problem, wrong, "a pixel was not written");
    wrong = right;
    wrong[7] *= 1.0F + 1e-3F;
    expect_wrong(*problem, wrong, "a pixel is off");
    std::rotate(wrong.begin(), wrong.begin() + 1, wrong.end());
    expect_wrong(*problem, wrong, "shifted by one column");
  }
}

TEST(Convolution, Fp64AllowsLessThanFp32) {
  const Shape shape{30, 30};
  const auto narrow = convolved(DataSpec::Kind::uniform, shape, 13);
  const auto wide = convolved(DataSpec::Kind::uniform, shape, 13, "fp64");
  auto off = narrow.result;
  off[100] *= 1.0F + 2e-6F;
  expect_right(*narrow.problem, off);
  expect_wrong(*wide.problem, off, "a pixel is off");
}

/// References are kept from one problem to the next: each must get its own.
TEST(Convolution, ReferencesAreNotMixedUp) {
  struct Made {
    std::unique_ptr<Problem> problem;
    std::vector<float> result;
  };
  std::vector<Made> made;
  for (const char* size : {"24x36", "36x24"}) {
    for (const std::int64_t width : {3, 5}) {
      for (const std::uint64_t seed : {1, 2, 1}) {
        const auto params = params_of(family("convolution"), {{"size", size}, {"mask", width}});
        auto problem = family("convolution").make(params, {.seed = seed});
        auto result = convolve(input_of(*problem), params.shape("size"),
                               floats_of(problem->constants()), width);
        made.push_back({std::move(problem), std::move(result)});
      }
    }
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    for (std::size_t j = 0; j < made.size(); ++j) {
      // Of every three, the first and the last are the same problem.
      const bool same = i / 3 == j / 3 && (i % 3 == 1) == (j % 3 == 1);
      EXPECT_EQ(made[i].problem->verify(bytes_of(made[j].result), 1).passed, same) << i << " " << j;
    }
  }
}

TEST(Convolution, OutputOfAnotherSizeFails) {
  auto made = convolved(DataSpec::Kind::ones, {4, 5}, 3);
  made.result.pop_back();
  expect_wrong(*made.problem, made.result, "a pixel is missing");
}

/// The reference of a dark region is 0, where a relative error means nothing.
TEST(Convolution, DarkRegionsHaveToBeDark) {
  std::string greys;
  for (int i = 0; i < 63; ++i) greys += "0 ";
  const auto problem =
      make_of_greys("convolution", {8, 8}, greys + "255", {{"size", "8x8"}, {"mask", 3}});
  auto result = convolve(input_of(*problem), {8, 8}, floats_of(problem->constants()), 3);
  ASSERT_EQ(result.front(), 0);
  ASSERT_GT(result.back(), 0);
  expect_right(*problem, result);
  result.front() = 1e-15F;  // what a transform in fp64 leaves
  expect_right(*problem, result);
  result.front() = 1e-12F;
  expect_wrong(*problem, result, "a dark pixel is not dark");
}

}  // namespace
}  // namespace apod::test
