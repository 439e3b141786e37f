/// The convolution against its definition, and wrong ones that must not pass.

#include <algorithm>
#include <cmath>

#include "tests/kernels/problems.hpp"

namespace apod::test {
namespace {

/// The definition, word for word: seed 2's loop in fp64.
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
                    const AxisValue& accumulator = fp32) {
  Convolved made;
  made.problem = make("convolution", kind,
                      {{"size", to_string(shape)}, {"mask", width}, {"accumulator", accumulator}});
  made.mask.resize(made.problem->constants().size() / sizeof(float));
  std::memcpy(made.mask.data(), made.problem->constants().data(), made.problem->constants().size());
  made.result = convolve(input_of(*made.problem), shape, made.mask, width);
  return made;
}

TEST(Convolution, ReferenceIsTheDefinition) {
  for (const auto kind : {DataSpec::Kind::ones, DataSpec::Kind::uniform, DataSpec::Kind::normal}) {
    for (const Shape shape : {Shape{1, 1}, {1, 7}, {7, 1}, {5, 5}, {33, 65}, {20, 1500}}) {
      for (const std::int64_t width : {1, 3, 13, 31}) {
        SCOPED_TRACE(to_string(shape) + " mask " + std::to_string(width));
        const auto [problem, mask, result] = convolved(kind, shape, width, fp64);
        const auto check = problem->verify(bytes_of(result), 1);
        EXPECT_TRUE(check.passed) << check.detail;
      }
    }
  }
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
    ASSERT_TRUE(problem->verify(bytes_of(right), 1).passed);
    const auto fails = [&](const std::vector<float>& wrong, const char* why) {
      const auto check = problem->verify(bytes_of(wrong), 1);
      EXPECT_FALSE(check.passed) << why;
      EXPECT_FALSE(check.detail.empty()) << why;
    };

    auto turned = mask;
    std::reverse(turned.begin(), turned.end());
    fails(convolve(image, shape, turned, 13), "a correlation is not a convolution");

    auto lost = mask;
    lost[80] = 0;
    fails(convolve(image, shape, lost, 13), "one weight is lost");

    auto wrong = right;
    wrong.back() = nan;
    fails(wrong, "a pixel was not written");
    wrong = right;
    wrong[7] *= 1.0F + 1e-3F;
    fails(wrong, "a pixel is off");
    std::rotate(wrong.begin(), wrong.begin() + 1, wrong.end());
    fails(wrong, "shifted by one column");
  }
}

TEST(Convolution, Fp64AllowsLessThanFp32) {
  const Shape shape{30, 30};
  const auto narrow = convolved(DataSpec::Kind::uniform, shape, 13, fp32);
  const auto wide = convolved(DataSpec::Kind::uniform, shape, 13, fp64);
  auto off = narrow.result;
  off[100] *= 1.0F + 2e-6F;
  EXPECT_TRUE(narrow.problem->verify(bytes_of(off), 1).passed);
  EXPECT_FALSE(wide.problem->verify(bytes_of(off), 1).passed);
}

TEST(Convolution, ChunksReadTheirHalo) {
  const auto problem = make("convolution", DataSpec::Kind::ones,
                            {{"size", std::string("100x10")}, {"mask", std::int64_t{13}}});
  const auto middle = problem->chunk(1, 4);
  EXPECT_EQ(middle.begin, 25);
  EXPECT_EQ(middle.end, 50);
  EXPECT_EQ(middle.input_begin, 19);
  EXPECT_EQ(middle.input_end, 56);
  EXPECT_EQ(middle.input_offset, 19U * 10 * 4);
  EXPECT_EQ(middle.input_bytes, 37U * 10 * 4);
  EXPECT_EQ(middle.output_offset, 25U * 10 * 4);
  const auto first = problem->chunk(0, 4);
  EXPECT_EQ(first.input_begin, 0);
  EXPECT_EQ(first.input_end, 31);
  const auto last = problem->chunk(3, 4);
  EXPECT_EQ(last.input_begin, 69);
  EXPECT_EQ(last.input_end, 100);
}

TEST(Convolution, TrafficCountsTheWeightsInsideTheImage) {
  // 1 x 3 image, 3 x 3 mask: the middle row of the mask meets 2 + 3 + 2 pixels.
  const auto problem = make("convolution", DataSpec::Kind::ones,
                            {{"size", std::string("1x3")}, {"mask", std::int64_t{3}}});
  EXPECT_EQ(problem->traffic().flops_fp32, 2 * 7);
  EXPECT_EQ(problem->traffic().flops_fp64, 0);
  EXPECT_EQ(problem->traffic().bytes_read, 4 * (3 + 9));
  EXPECT_EQ(problem->traffic().bytes_written, 4 * 3);
}

TEST(Convolution, EvenMasksAreRejectedWithAReason) {
  auto params = default_params(family("convolution"));
  for (const std::int64_t width : {2, 12, 30}) {
    params.set("mask", width);
    const auto reason = family("convolution").rejects(params);
    ASSERT_TRUE(reason.has_value());
    EXPECT_NE(reason->find("even"), std::string::npos) << *reason;
    EXPECT_THROW(family("convolution").make(params, {}), std::runtime_error);
  }
  params.set("mask", std::int64_t{33});
  EXPECT_TRUE(family("convolution").rejects(params).has_value());
}

}  // namespace
}  // namespace apod::test
