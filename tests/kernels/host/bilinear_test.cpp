/// Bilinear interpolation against its definition, and wrong results that must not pass.

#include <algorithm>
#include <cmath>

#include "kernels/bilinear/problem.hpp"
#include "tests/kernels/problems.hpp"

namespace apod::test {
namespace {

using bilinear::Side;

using Values = std::vector<std::pair<std::string, AxisValue>>;

Values values(const std::string& size, std::int64_t scale, const std::string& direction,
              std::int64_t batch = 1, std::int64_t channels = 1) {
  return {{"size", size},
          {"scale", scale},
          {"direction", direction},
          {"batch", batch},
          {"channels", channels}};
}

Params params_of(const Values& changed) {
  auto params = default_params(family("bilinear"));
  for (const auto& [axis, value] : changed) params.set(axis, value);
  return params;
}

/// A problem with an input of the test's own.
bilinear::Bilinear problem_with(std::vector<float> input, Side rows, Side cols,
                                bilinear::Direction direction) {
  return {std::make_shared<const std::vector<float>>(std::move(input)), {1, rows, cols}, direction};
}

/// Paddle's kernels, in fp64: calls term(output, input, weight) four times for each output.
template <class Term>
void each_term(Shape in, Shape out, const Term& term) {
  const auto ratio = [](std::int64_t i, std::int64_t o) {
    return o > 1 ? static_cast<double>(i - 1) / static_cast<double>(o - 1) : 0.0;
  };
  const auto around = [&](std::int64_t o, std::int64_t inputs, std::int64_t outputs) {
    const double at = ratio(inputs, outputs) * static_cast<double>(o);
    // A whole position may come out one rounding below: the value is the same.
    const auto index = std::min(static_cast<std::int64_t>(at), inputs - 1);
    const std::int64_t next = index < inputs - 1 ? 1 : 0;
    const double lambda = at - static_cast<double>(index);
    return std::array<std::pair<std::int64_t, double>, 2>{
        {{index, 1 - lambda}, {index + next, lambda}}};
  };
  for (std::int64_t o = 0; o < out.rows; ++o) {
    for (std::int64_t p = 0; p < out.cols; ++p) {
      for (const auto& [r, y] : around(o, in.rows, out.rows)) {
        for (const auto& [c, x] : around(p, in.cols, out.cols)) {
          term(static_cast<std::size_t>(o * out.cols + p),
               static_cast<std::size_t>(r * in.cols + c), y * x);
        }
      }
    }
  }
}

std::vector<float> interpolated(const Problem& problem, const Params& params) {
  const Shape in = params.shape("size");
  const auto scale = params.integer("scale");
  const Shape out{in.rows * scale, in.cols * scale};
  const bool forward = params.text("direction") == "fprop";
  const auto inputs = static_cast<std::size_t>(in.rows * in.cols);
  const auto outputs = static_cast<std::size_t>(out.rows * out.cols);
  const auto source = input_of(problem);
  const auto planes =
      static_cast<std::size_t>(params.integer("batch") * params.integer("channels"));
  std::vector<float> result;
  for (std::size_t plane = 0; plane < planes; ++plane) {
    const float* values = source.data() + plane * (forward ? inputs : outputs);
    std::vector<double> sums(forward ? outputs : inputs);
    each_term(in, out, [&](std::size_t output, std::size_t input, double weight) {
      sums[forward ? output : input] += weight * values[forward ? input : output];
    });
    for (const double sum : sums) result.push_back(static_cast<float>(sum));
  }
  return result;
}

TEST(Bilinear, ForwardIsWhatIsComputedByHand) {
  // Three outputs over two inputs lie on the first, half way and on the second.
  const auto problem = problem_with({1, 3, 5, 11}, {2, 3}, {2, 3}, bilinear::Direction::fprop);
  const std::vector<float> by_hand{1, 2, 3, 3, 5, 7, 5, 8, 11};
  const auto check = problem.verify(bytes_of(by_hand), 1);
  EXPECT_TRUE(check.passed) << check.detail;
  EXPECT_LT(check.error, 1e-15);
}

TEST(Bilinear, BackwardIsWhatIsComputedByHand) {
  // The ends go to one input each, what is half way to both.
  const auto problem =
      problem_with({1, 2, 3, 4, 5, 6, 7, 8, 9}, {2, 3}, {2, 3}, bilinear::Direction::bprop);
  const std::vector<float> by_hand{1 + 1 + 2 + 1.25F, 3 + 1 + 3 + 1.25F, 7 + 4 + 2 + 1.25F,
                                   9 + 4 + 3 + 1.25F};
  const auto check = problem.verify(bytes_of(by_hand), 1);
  EXPECT_TRUE(check.passed) << check.detail;
  EXPECT_LT(check.error, 1e-15);
}

TEST(Bilinear, ReferenceIsPaddlesKernel) {
  for (const auto kind : {DataSpec::Kind::ones, DataSpec::Kind::uniform, DataSpec::Kind::normal}) {
    for (const std::string direction : {"fprop", "bprop"}) {
      for (const std::string size : {"1x1", "1x7", "7x1", "2x2", "5x13"}) {
        for (const std::int64_t scale : {1, 2, 3, 32}) {
          SCOPED_TRACE(size + " " + direction + " scale " + std::to_string(scale));
          const auto changed = values(size, scale, direction, 2, 2);
          const auto problem = make("bilinear", kind, changed);
          const auto check =
              problem->verify(bytes_of(interpolated(*problem, params_of(changed))), 1);
          EXPECT_TRUE(check.passed) << check.detail;
        }
      }
    }
  }
}

/// No contribution is lost or doubled: what an input gets is found by going over all outputs.
TEST(Bilinear, TheOutputsOfAnInputAreThoseThatReachIt) {
  std::vector<Side> sides;
  for (unsigned in = 1; in <= 40; ++in) {
    for (const unsigned scale : {1U, 2U, 3U, 7U, 32U}) sides.emplace_back(in, in * scale);
  }
  for (const unsigned in : {2048U, 32768U, 65536U}) sides.emplace_back(in, bilinear::largest_side);
  for (const Side& side : sides) {
    SCOPED_TRACE(std::to_string(side.in) + " -> " + std::to_string(side.out));
    // For each input the first and last output with a weight for it, by forward's own function.
    std::vector<std::pair<unsigned, unsigned>> reached(side.in, {side.out, 0});
    bilinear::Position marched;
    for (unsigned o = 0; o < side.out; ++o) {
      const auto at = bilinear::position(side, o);
      ASSERT_EQ(marched.index, at.index) << o;
      ASSERT_EQ(marched.rest, at.rest) << o;
      bilinear::advance(side, marched);
      const auto reach = [&](unsigned input) {
        reached[input].first = std::min(reached[input].first, o);
        reached[input].second = std::max(reached[input].second, o);
      };
      reach(at.index);
      if (at.rest > 0) reach(side.next(at.index));
    }
    EXPECT_EQ(bilinear::position(side, side.out - 1).index, side.out > 1 ? side.in - 1 : 0);
    for (unsigned i = 0; i < side.in; ++i) {
      ASSERT_EQ(bilinear::first_output(side, i), reached[i].first) << i;
      ASSERT_EQ(bilinear::last_output(side, i), reached[i].second) << i;
    }
  }
}

TEST(Bilinear, WrongResultsFail) {
  for (const auto kind : {DataSpec::Kind::uniform, DataSpec::Kind::normal}) {
    for (const std::string direction : {"fprop", "bprop"}) {
      for (const std::int64_t scale : {2, 8}) {
        SCOPED_TRACE(direction + " scale " + std::to_string(scale));
        const auto changed = values("20x31", scale, direction, 1, 2);
        const auto params = params_of(changed);
        const auto problem = make("bilinear", kind, changed);
        const auto right = interpolated(*problem, params);
        ASSERT_TRUE(problem->verify(bytes_of(right), 1).passed);
        const auto fails = [&](const std::vector<float>& wrong, const char* why) {
          const auto check = problem->verify(bytes_of(wrong), 1);
          EXPECT_FALSE(check.passed) << why;
          EXPECT_FALSE(check.detail.empty()) << why;
        };
        auto wrong = right;
        wrong.back() = nan;
        fails(wrong, "a value was not written");
        wrong = right;
        wrong[7] += std::abs(wrong[7]) * 1e-3F + 1e-3F;
        fails(wrong, "a value is off");
        wrong = right;
        std::rotate(wrong.begin(), wrong.begin() + 1, wrong.end());
        fails(wrong, "shifted by one column");
        wrong.pop_back();
        fails(wrong, "a value is missing");
      }
    }
  }
}

/// The largest scale has the most terms, and so the widest tolerance.
TEST(Bilinear, ALostTermFails) {
  const auto problem = make("bilinear", DataSpec::Kind::ones, values("4x4", 32, "bprop"));
  auto wrong = interpolated(*problem, params_of(values("4x4", 32, "bprop")));
  ASSERT_TRUE(problem->verify(bytes_of(wrong), 1).passed);
  wrong[5] -= 0.9F;  // a term near the input has a weight of nearly 1
  EXPECT_FALSE(problem->verify(bytes_of(wrong), 1).passed);
}

TEST(Bilinear, ChunksSplitPlanes) {
  const auto forward = make("bilinear", DataSpec::Kind::ones, values("3x5", 2, "fprop", 2, 5));
  const auto chunk = forward->chunk(1, 4);
  EXPECT_EQ(chunk.begin, 2);
  EXPECT_EQ(chunk.end, 5);
  EXPECT_EQ(chunk.input_offset, 2U * 15 * 4);
  EXPECT_EQ(chunk.input_bytes, 3U * 15 * 4);
  EXPECT_EQ(chunk.output_offset, 2U * 60 * 4);
  EXPECT_EQ(chunk.output_bytes, 3U * 60 * 4);
  EXPECT_EQ(forward->output_bytes(4), 10U * 60 * 4);

  const auto backward = make("bilinear", DataSpec::Kind::ones, values("3x5", 2, "bprop", 2, 5));
  EXPECT_EQ(backward->chunk(1, 4).input_bytes, 3U * 60 * 4);
  EXPECT_EQ(backward->chunk(1, 4).output_bytes, 3U * 15 * 4);
  EXPECT_EQ(backward->output_bytes(4), 10U * 15 * 4);
  std::int64_t planes = 0;
  for (std::int64_t i = 0; i < 16; ++i)
    planes += backward->chunk(i, 16).end - backward->chunk(i, 16).begin;
  EXPECT_EQ(planes, 10) << "more chunks than planes";
}

TEST(Bilinear, TrafficReadsAndWritesOnce) {
  const auto forward = traffic("bilinear", values("3x5", 2, "fprop", 2, 5));
  EXPECT_EQ(forward.bytes_read, 10 * 15 * 4);
  EXPECT_EQ(forward.bytes_written, 10 * 60 * 4);
  // Three rows of ten values between columns, six of ten between rows, two multiply-adds each.
  EXPECT_EQ(forward.flops_fp32, 10 * 4 * (30 + 60));
  const auto backward = traffic("bilinear", values("3x5", 2, "bprop", 2, 5));
  EXPECT_EQ(backward.bytes_read, 10 * 60 * 4);
  EXPECT_EQ(backward.bytes_written, 10 * 15 * 4);
  EXPECT_EQ(backward.flops_fp32, forward.flops_fp32);
  EXPECT_EQ(backward.flops_fp64, 0);
  const auto footprint = family("bilinear").footprint(params_of(values("3x5", 2, "bprop", 2, 5)));
  EXPECT_EQ(footprint.input_bytes, 10U * 60 * 4);
  EXPECT_EQ(footprint.output_bytes, 10U * 15 * 4);
}

TEST(Bilinear, ShapesThatCannotWorkAreRejectedWithAReason) {
  const auto reason = [](const Values& changed) {
    const auto params = params_of(changed);
    const auto found = family("bilinear").rejects(params);
    if (found) {
      EXPECT_THROW(family("bilinear").make(params, {}), std::runtime_error);
    }
    return found.value_or("");
  };
  EXPECT_EQ(reason({}), "");
  EXPECT_EQ(reason(values("2048x1", 32, "fprop")), "");
  EXPECT_EQ(reason(values("65536x1", 1, "bprop")), "");
  const auto names = [&](const Values& changed, const char* what) {
    EXPECT_NE(reason(changed).find(what), std::string::npos) << reason(changed);
  };
  names(values("2049x1", 32, "fprop"), "65536");
  names(values("1x32769", 2, "fprop"), "size 1x32769 at scale 2");
  names(values("65536x65536", 1, "fprop", 257), "2^40");
  names(values("8x8", 0, "fprop"), "scale 0");
  names(values("8x8", 33, "fprop"), "scale 33");
  names(values("8x8", 2, "fprop", 0), "batch 0");
  names(values("8x8", 2, "fprop", 1, -1), "channels -1");
}

}  // namespace
}  // namespace apod::test
