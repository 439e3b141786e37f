/// The network's step against a plain one in fp64, whose gradients are held against differences of
/// its result, and wrong ones that must not pass.

#include <algorithm>

#include "kernels/network/operations.hpp"
#include "kernels/network/reference.hpp"
#include "tests/kernels/network_step.hpp"

namespace apod::test {
namespace {

TEST(Network, ConvolutionsAreThoseDoneByHand) {
  const Dims d{1, 1, 2, 3};
  const std::vector<float> image{1, 2, 3, 4, 5, 6};
  const std::vector<float> weights{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<float> first{1, 0, 0, 0, 0, 0};
  const auto convolved = network::convolve(d, image, weights);
  EXPECT_EQ(convolved[0], 5 * 1 + 6 * 2 + 8 * 4 + 9 * 5);
  EXPECT_EQ(convolved[5], 1 * 2 + 2 * 3 + 4 * 5 + 5 * 6);
  EXPECT_EQ(network::image_gradient(d, first, weights), (Doubles{5, 6, 0, 8, 9, 0}));
  EXPECT_EQ(network::weight_gradient(d, first, image), (Doubles{0, 0, 0, 0, 1, 2, 0, 4, 5}));
}

TEST(Network, AStepDoneWordForWordPasses) {
  for (const auto kind : {DataSpec::Kind::ones, DataSpec::Kind::uniform, DataSpec::Kind::normal}) {
    for (const char* size : {"2x2", "3x2", "7x9", "12x10"}) {
      for (const std::int64_t channels : {1, 5}) {
        const auto problem = network_of(kind, size, 3, channels);
        const auto check = problem->verify(bytes_of(output_of(step_of(as_network(*problem)))), 1);
        EXPECT_TRUE(check.passed) << size << " " << channels << ": " << check.detail;
        EXPECT_GT(check.error, 0) << "it was rounded";
      }
    }
  }
}

/// The same step with the channels of a pixel together: its inputs are the other's, turned, and it
/// passes when its outputs are turned as well.
TEST(Network, InNhwcAllTensorsOfPlanesAreTurned) {
  const auto params = [](const char* layout) {
    return Point{{"size", "7x4"}, {"batch", 2}, {"channels", 3}, {"layout", layout}};
  };
  const auto problem = make("network", DataSpec::Kind::uniform, params("nchw"));
  const auto other = make("network", DataSpec::Kind::uniform, params("nhwc"));
  const Step step = step_of(as_network(*problem));
  const auto given = network::input_layout(step.d, true);
  const auto parameters = network::constant_layout(step.d);
  const auto image = part(other->input(), given.image, step.d.values());
  const auto weights = part(other->constants(), parameters.weights, step.d.weights());
  step.each([&](auto n, auto c, auto h, auto w) {
    EXPECT_EQ(image[at(((n * 7 + h) * 4 + w) * 3 + c)], step.image[at(step.place(n, c, h, w))]);
  });
  for (std::int64_t i = 0; i < step.d.weights(); ++i) {
    EXPECT_EQ(weights[at((i / 27 * 9 + i % 9) * 3 + i / 9 % 3)], step.weights[at(i)]);
  }
  EXPECT_EQ(part(other->constants(), parameters.scale, step.d.channels), step.scale);

  const auto out = output_of(step);
  EXPECT_FALSE(other->verify(bytes_of(out), 1).passed);
  const auto turned = network::to_nhwc(out, network::output_places(step.d, true));
  EXPECT_NE(turned, out);
  const auto check = other->verify(bytes_of(turned), 1);
  EXPECT_TRUE(check.passed) << check.detail;
  EXPECT_FALSE(problem->verify(bytes_of(turned), 1).passed);
}

/// The sum of the result times its gradient changes as the gradients say.
TEST(Network, GradientsAreThoseOfTheWholeStep) {
  const auto problem = network_of(DataSpec::Kind::normal, "6x5", 2, 3);
  const Step step = step_of(as_network(*problem));
  const auto loss = [](Step moved) {
    moved.forward();
    double sum = 0;
    for (std::size_t i = 0; i < moved.pooled.size(); ++i)
      sum += moved.pooled[i] * moved.gradient[i];
    return sum;
  };
  struct Pair {
    Doubles Step::*value;
    Doubles Step::*gradient;
  };
  for (const auto& [value, gradient] :
       {Pair{&Step::image, &Step::d_image}, Pair{&Step::weights, &Step::d_weights},
        Pair{&Step::scale, &Step::d_scale}, Pair{&Step::bias, &Step::d_bias}}) {
    for (std::size_t i = 0; i < (step.*value).size(); i += 7) {
      constexpr double distance = 1e-6;
      Step more = step;
      Step less = step;
      (more.*value)[i] += distance;
      (less.*value)[i] -= distance;
      EXPECT_NEAR((loss(more) - loss(less)) / (2 * distance), (step.*gradient)[i], 1e-6);
    }
  }
}

TEST(Network, OneWrongValueOfAnyTensorFails) {
  const auto problem = network_of(DataSpec::Kind::uniform, "9x8", 4, 6);
  const Step step = step_of(as_network(*problem));
  const auto right = output_of(step);
  const auto layout = network::output_layout(step.d, true);
  struct Place {
    std::int64_t offset;
    std::int64_t count;
    const char* name;
  };
  for (const auto& [offset, count, name] :
       {Place{layout.convolved, step.d.values(), "the convolution"},
        Place{layout.mean, step.d.channels, "the means"},
        Place{layout.inv_std, step.d.channels, "the inverse deviations"},
        Place{layout.pooled, step.d.pooled(), "the result"},
        Place{layout.d_normed, step.d.values(), "the gradient of batch norm's result"},
        Place{layout.d_scale, step.d.channels, "the gradient of the scale"},
        Place{layout.d_bias, step.d.channels, "the gradient of the bias"},
        Place{layout.d_convolved, step.d.values(), "the gradient of the convolution"},
        Place{layout.d_weights, step.d.weights(), "the gradient of the weights"},
        Place{layout.d_image, step.d.values(), "the gradient of the image"}}) {
    for (const std::int64_t i : {std::int64_t{0}, count / 2, count - 1}) {
      for (const float other : {right[at(offset + i)] + 0.01F, nan}) {
        auto wrong = right;
        wrong[at(offset + i)] = other;
        const auto check = problem->verify(bytes_of(wrong), 1);
        EXPECT_FALSE(check.passed) << name << " " << i;
        EXPECT_GT(check.error, 10) << name << " " << i;
      }
    }
    auto wrong = right;
    wrong[at(offset)] += 1;
    const auto check = problem->verify(bytes_of(wrong), 1);
    EXPECT_FALSE(check.passed);
    EXPECT_NE(check.detail.find("expected"), std::string::npos) << check.detail;
  }
  EXPECT_FALSE(problem->verify({}, 1).passed) << "no output at all";
}

/// Ones give equal values all over a plane: each of them may be the maximum, but only one.
TEST(Network, AnyOfEqualMaximaMayWinAndOnlyOne) {
  const auto problem = network_of(DataSpec::Kind::ones, "12x12", 1, 1);
  const Step step = step_of(as_network(*problem));
  // A window within the plane, whose maximum relu let through.
  const auto first = at(step.place(0, 0, 4, 4));
  Step moved = step;
  ASSERT_EQ(step.convolved[first], step.convolved[first + 1]);
  ASSERT_NE(step.d_normed[first], 0) << "relu cut the plane off: another seed is needed";
  std::swap(moved.d_normed[first], moved.d_normed[first + 1]);
  moved.after_routing();
  auto check = problem->verify(bytes_of(output_of(moved)), 1);
  EXPECT_TRUE(check.passed) << check.detail;
  moved.d_normed[first] = moved.d_normed[first + 1];
  moved.after_routing();
  EXPECT_FALSE(problem->verify(bytes_of(output_of(moved)), 1).passed) << "given twice";
}

TEST(Network, AnotherThanTheMaximumMayNotWin) {
  const auto problem = network_of(DataSpec::Kind::uniform, "8x8", 2, 3);
  Step step = step_of(as_network(*problem));
  const auto winner =
      std::find_if(step.d_normed.begin(), step.d_normed.end(), [](double g) { return g != 0; });
  ASSERT_NE(winner, step.d_normed.end());
  const auto i = winner - step.d_normed.begin();
  std::swap(*winner, step.d_normed[at(i % 2 == 0 ? i + 1 : i - 1)]);
  step.after_routing();
  EXPECT_FALSE(problem->verify(bytes_of(output_of(step)), 1).passed) << "its neighbour";
  step = step_of(as_network(*problem));
  step.d_normed[at(i)] = 0;
  step.after_routing();
  EXPECT_FALSE(problem->verify(bytes_of(output_of(step)), 1).passed) << "nobody";
}

/// The 11 bits that TF32 keeps.
double cut(double value) {
  auto narrow = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &narrow, sizeof bits);
  bits &= 0xFFFFE000U;
  std::memcpy(&narrow, &bits, sizeof bits);
  return narrow;
}

TEST(Network, FactorsMayBeCutWhereTF32IsAllowed) {
  for (const char* type : {"fp32", "tf32"}) {
    const auto problem = network_of(DataSpec::Kind::normal, "10x12", 4, 8, type);
    Step step = step_of(as_network(*problem));
    Step narrow = step;
    for (auto* factors : {&narrow.image, &narrow.weights}) {
      std::transform(factors->begin(), factors->end(), factors->begin(), cut);
    }
    narrow.forward();
    narrow.backward();
    const Doubles d_convolved = narrow.d_convolved;
    std::transform(d_convolved.begin(), d_convolved.end(), narrow.d_convolved.begin(), cut);
    narrow.d_weights.assign(narrow.d_weights.size(), 0);
    narrow.d_image.assign(narrow.d_image.size(), 0);
    narrow.each_product([&](auto x, auto w, auto c) {
      narrow.d_weights[w] += narrow.d_convolved[c] * narrow.image[x];
      narrow.d_image[x] += narrow.d_convolved[c] * narrow.weights[w];
    });
    narrow.d_convolved = d_convolved;
    const auto check = problem->verify(bytes_of(output_of(narrow)), 1);
    EXPECT_EQ(check.passed, std::string(type) == "tf32") << check.error << " " << check.detail;
    // A filter without its corner is not a matter of rounding.
    for (std::size_t i = 0; i < step.weights.size(); i += 9) step.weights[i] = 0;
    step.forward();
    step.backward();
    EXPECT_FALSE(problem->verify(bytes_of(output_of(step)), 1).passed) << type;
  }
}

TEST(Network, TheFirstChunkIsAllOfIt) {
  const auto problem = network_of(DataSpec::Kind::uniform, "5x4", 2, 3);
  const auto whole = problem->chunk(0, 3);
  EXPECT_EQ(whole.input_bytes, problem->input().size());
  EXPECT_EQ(whole.output_bytes, problem->output_bytes(3));
  for (const std::int64_t i : {1, 2}) {
    EXPECT_EQ(problem->chunk(i, 3).output_bytes, 0U);
    EXPECT_EQ(problem->chunk(i, 3).input_bytes, 0U);
  }
}

TEST(Network, TrafficIsEachTensorOnceAndTheOperationsWork) {
  Point point{{"size", "4x6"}, {"batch", 2}, {"channels", 3}, {"direction", "fprop"}};
  const double values = 2 * 3 * 24;
  const double pooled = 2 * 3 * 6;
  const double products = 2 * 2.0 * 9 * (3 * 4 - 2) * (3 * 6 - 2);
  const auto forward = traffic("network", point);
  EXPECT_EQ(forward.bytes_read, 4 * (values + 81 + 6));
  EXPECT_EQ(forward.bytes_written, 4 * (values + 6 + pooled));
  EXPECT_EQ(forward.flops_fp32, products + 6 * values + values + 3 * pooled);
  point[3].second = "bprop";
  const auto backward = traffic("network", point);
  EXPECT_EQ(backward.bytes_read, 4 * (values + 81 + 6 + pooled));
  EXPECT_EQ(backward.bytes_written, 4 * (4 * values + 6 + pooled + 81 + 6));
  EXPECT_EQ(backward.flops_fp32, 3 * products + 17 * values + 6 * pooled);
  point.emplace_back("type", "tf32");
  EXPECT_EQ(traffic("network", point).flops_tf32, 3 * products);
  EXPECT_EQ(traffic("network", point).flops(), backward.flops());
}

TEST(Network, OperationsCanBeShownAtEverySize) {
  for (const Dims& d : {Dims{1, 1, 2, 2}, Dims{65536, 4096, 128, 128}}) {
    auto all = network::forward_operations(d, Number::tf32);
    const auto more = network::backward_operations(d, Number::tf32);
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_EQ(all.size(), 9U);
    for (const auto& operation : all) EXPECT_TRUE(parse_operation(encode(operation)));
  }
  const auto operation = network::convolution_operation({32, 64, 56, 56}, Number::fp32);
  EXPECT_EQ(operation.shapes, "32x64x56x56 * 64x64x3x3");
}

TEST(Network, TheGradientOfMaxPoolingMovesLessByIndices) {
  const Dims d{2, 3, 4, 6};
  const double values = 2 * 3 * 4 * 6;
  const double pooled = values / 4;
  const auto by_values = network::max_pool_gradient_operation(d, false);
  EXPECT_EQ(by_values.bytes, 4 * (2 * values + 2 * pooled)) << "image, result and both gradients";
  const auto by_indices = network::max_pool_gradient_operation(d, true);
  EXPECT_EQ(by_indices.bytes, 4 * (values + pooled) + pooled) << "both gradients, a byte an index";
  EXPECT_EQ(by_indices.flops, 0) << "nothing is compared again";
}

/// Many equal values, whose rounding errors all point the same way.
TEST(Network, TheHostAddsLargePlanesRight) {
  const auto backend = Registry::instance().backend(BackendKind::host)->open(0);
  const Case c{params_of(family("network"), {{"size", "56x56"}, {"batch", 1}, {"channels", 3}}),
               {.kind = DataSpec::Kind::ones}};
  run_cases(*backend, {"network", "host"}, {c});
}

}  // namespace
}  // namespace apod::test
