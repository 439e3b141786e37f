/// Bilinear interpolation against its definition, and wrong results that must not pass.

#include <algorithm>
#include <cmath>

#include "kernels/bilinear/problem.hpp"
#include "tests/kernels/problems.hpp"

namespace apod::test {
namespace {

using bilinear::Side;

Point values(const std::string& size, std::int64_t scale, const std::string& direction,
             std::int64_t batch = 1, std::int64_t channels = 1) {
  return {{"size", size},
          {"scale", scale},
          {"direction", direction},
          {"batch", batch},
          {"channels", channels}};
}

/// A problem with an input of the test's own.
bilinear::Bilinear problem_with(Floats input, Side rows, Side cols, bilinear::Direction direction) {
  return {std::make_shared<const Floats>(std::move(input)), {1, rows, cols}, direction};
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

std::vector<float> interpolated(const Problem& problem, const Point& point) {
  const auto params = params_of(family("bilinear"), point);
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

TEST(Bilinear, IsWhatIsComputedByHand) {
  // Three outputs over two inputs lie on the first, half way and on the second.
  const auto forward = problem_with({1, 3, 5, 11}, {2, 3}, {2, 3}, bilinear::Direction::fprop);
  // Of their gradients the ends go to one input each, what is half way to both.
  const auto backward =
      problem_with({1, 2, 3, 4, 5, 6, 7, 8, 9}, {2, 3}, {2, 3}, bilinear::Direction::bprop);
  for (const auto& [problem, by_hand] :
       {std::pair{&forward, std::vector<float>{1, 2, 3, 3, 5, 7, 5, 8, 11}},
        std::pair{&backward, std::vector<float>{1 + 1 + 2 + 1.25F, 3 + 1 + 3 + 1.25F,
                                                7 + 4 + 2 + 1.25F, 9 + 4 + 3 + 1.25F}}}) {
    expect_right(*problem, by_hand);
    EXPECT_LT(problem->verify(bytes_of(by_hand), 1).error, 1e-15);
  }
}

TEST(Bilinear, ReferenceIsPaddlesKernel) {
  for (const auto kind : {DataSpec::Kind::ones, DataSpec::Kind::uniform, DataSpec::Kind::normal}) {
    for (const std::string direction : {"fprop", "bprop"}) {
      for (const std::string size : {"1x1", "1x7", "7x1", "2x2", "5x13"}) {
        for (const std::int64_t scale : {1, 2, 3, 32}) {
          SCOPED_TRACE(size + " " + direction + " scale " + std::to_string(scale));
          const auto changed = values(size, scale, direction, 2, 2);
          const auto problem = make("bilinear", kind, changed);
          expect_right(*problem, interpolated(*problem, changed));
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
        const auto problem = make("bilinear", kind, changed);
        const auto right = interpolated(*problem, changed);
        expect_right(*problem, right);
        auto wrong = right;
        wrong.back() = nan;
        expect_wrong(*problem, wrong, "a value was not written");
        wrong = right;
        wrong[7] += std::abs(wrong[7]) * 1e-3F + 1e-3F;
        expect_wrong(*problem, wrong, "a value is off");
        wrong = right;
        std::rotate(wrong.begin(), wrong.begin() + 1, wrong.end());
        expect_wrong(*problem, wrong, "shifted by one column");
        wrong.pop_back();
        expect_wrong(*problem, wrong, "a value is missing");
      }
    }
  }
}

/// The largest scale has the most terms, and so the widest tolerance.
TEST(Bilinear, ALostTermFails) {
  const auto problem = make("bilinear", DataSpec::Kind::ones, values("4x4", 32, "bprop"));
  auto result = interpolated(*problem, values("4x4", 32, "bprop"));
  expect_right(*problem, result);
  result[5] -= 0.9F;
  expect_wrong(*problem, result, "a term near the input has a weight of nearly 1");
}

}  // namespace
}  // namespace apod::test
