/// The convolution against its definition, and wrong ones that must not pass.

#include <algorithm>
#include <cmath>

#include "tests/kernels/api/temporary_folder.hpp"
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

TEST(Convolution, HostComputesEveryOddMask) {
  const auto backend = Registry::instance().backend(BackendKind::host)->open(0);
  auto cases = large_cases_of(family("convolution"));
  std::erase_if(cases, [](const Case& c) { return c.params.shape("size").rows > 100; });
  ASSERT_EQ(cases.size(), 16U * 2 * 2);
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
  const auto work =
      traffic("convolution", {{"size", std::string("1x3")}, {"mask", std::int64_t{3}}});
  EXPECT_EQ(work.flops_fp32, 2 * 7);
  EXPECT_EQ(work.flops_fp64, 0);
  EXPECT_EQ(work.bytes_read, 4 * (3 + 9));
  EXPECT_EQ(work.bytes_written, 4 * 3);
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

TEST(Convolution, OtherRejectionsNameTheNumber) {
  auto params = default_params(family("convolution"));
  EXPECT_FALSE(family("convolution").rejects(params).has_value());
  for (const std::int64_t width : {-1, 0, 33}) {
    params.set("mask", width);
    const auto reason = family("convolution").rejects(params);
    ASSERT_TRUE(reason.has_value());
    EXPECT_NE(reason->find(std::to_string(width)), std::string::npos) << *reason;
  }
  params.set("mask", std::int64_t{31});
  EXPECT_FALSE(family("convolution").rejects(params).has_value());
  params.set("size", std::string("1048576x3"));
  EXPECT_FALSE(family("convolution").rejects(params).has_value());
  params.set("size", std::string("3x1048577"));
  EXPECT_TRUE(family("convolution").rejects(params).has_value());
}

TEST(Convolution, NppSumsInFp32AndRepeatsTheBorderForSmallMasks) {
  auto params = default_params(family("convolution"));
  params.set("variant", std::string("npp"));
  EXPECT_EQ(family("convolution").rejects(params), std::nullopt);
  // A row of 2048 floats and 32 zeros before it, 2048 + 12 times, and 32 at the end.
  EXPECT_EQ(family("convolution").footprint(params).scratch_bytes, (2080u * 2060 + 32) * 4);
  params.set("accumulator", std::string("fp64"));
  EXPECT_TRUE(family("convolution").rejects(params).has_value());
  params.set("accumulator", std::string("fp32"));
  for (const std::int64_t mask : {1, 3, 5, 7, 31}) {
    params.set("mask", mask);
    const bool repeats = mask == 3 || mask == 5;
    EXPECT_EQ(family("convolution").rejects(params).has_value(), repeats) << mask;
  }
}

TEST(Convolution, AHaloMayReachOverSeveralChunks) {
  const auto problem = make("convolution", DataSpec::Kind::ones,
                            {{"size", std::string("5x4")}, {"mask", std::int64_t{5}}});
  const auto middle = problem->chunk(2, 5);
  EXPECT_EQ(middle.begin, 2);
  EXPECT_EQ(middle.end, 3);
  EXPECT_EQ(middle.input_begin, 0);
  EXPECT_EQ(middle.input_end, 5);
  std::int64_t used = 0;
  for (std::int64_t i = 0; i < 8; ++i) {
    const auto chunk = problem->chunk(i, 8);
    if (chunk.begin < chunk.end) {
      ++used;
    } else {
      EXPECT_EQ(chunk.input_bytes, 0U) << "an empty chunk reads no halo";
      EXPECT_EQ(chunk.output_bytes, 0U);
    }
  }
  EXPECT_EQ(used, 5);
}

TEST(Convolution, FootprintCountsHalosAndMasks) {
  auto params = default_params(family("convolution"));
  params.set("size", std::string("100x10"));
  params.set("mask", std::int64_t{13});
  const auto whole = family("convolution").footprint(params);
  EXPECT_EQ(whole.input_bytes, 4U * (100 * 10 + 169));
  EXPECT_EQ(whole.output_bytes, 4U * 100 * 10);
  EXPECT_EQ(whole.scratch_bytes, 0U);
  params.set("streams", std::int64_t{4});  // three cuts, six rows to both sides of each
  EXPECT_EQ(family("convolution").footprint(params).input_bytes,
            4U * ((100 + 3 * 12) * 10 + 4 * 169));
  params.set("size", std::string("2x10"));  // two of the four have a row, and read both
  EXPECT_EQ(family("convolution").footprint(params).input_bytes, 4U * (2 * 2 * 10 + 4 * 169));
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
        auto params = default_params(family("convolution"));
        params.set("size", std::string(size));
        params.set("mask", width);
        auto problem = family("convolution").make(params, {.seed = seed});
        std::vector<float> mask(problem->constants().size() / sizeof(float));
        std::memcpy(mask.data(), problem->constants().data(), problem->constants().size());
        auto result = convolve(input_of(*problem), params.shape("size"), mask, width);
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
  const auto [problem, mask, result] = convolved(DataSpec::Kind::ones, {4, 5}, 3);
  auto shorter = result;
  shorter.pop_back();
  const auto check = problem->verify(bytes_of(shorter), 1);
  EXPECT_FALSE(check.passed);
  EXPECT_FALSE(check.detail.empty());
}

/// The reference of a dark region is 0, where a relative error means nothing.
TEST(Convolution, DarkRegionsHaveToBeDark) {
  std::string pixels = "P2 8 8 255\n";
  for (int i = 0; i < 63; ++i) pixels += "0 ";
  const TemporaryFolder folder;
  const auto path = folder.write("dark.pgm", pixels + "255\n");
  auto params = default_params(family("convolution"));
  params.set("size", std::string("8x8"));
  params.set("mask", std::int64_t{3});
  const auto problem =
      family("convolution").make(params, {.kind = DataSpec::Kind::file, .file = path});
  std::vector<float> mask(9);
  std::memcpy(mask.data(), problem->constants().data(), problem->constants().size());
  auto result = convolve(input_of(*problem), {8, 8}, mask, 3);
  ASSERT_EQ(result.front(), 0);
  ASSERT_GT(result.back(), 0);
  EXPECT_TRUE(problem->verify(bytes_of(result), 1).passed);
  result.front() = 1e-15F;
  EXPECT_TRUE(problem->verify(bytes_of(result), 1).passed) << "what a transform in fp64 leaves";
  result.front() = 1e-12F;
  EXPECT_FALSE(problem->verify(bytes_of(result), 1).passed);
}

}  // namespace
}  // namespace apod::test
