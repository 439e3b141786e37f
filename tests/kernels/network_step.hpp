#pragma once

/// \file
/// A network's step in fp64, word for word: what tests hold problems and variants against.

#include <algorithm>
#include <cmath>

#include "kernels/network/problem.hpp"
#include "tests/kernels/problems.hpp"

namespace apod::test {

using network::Dims;
using network::Network;
using Doubles = std::vector<double>;

inline std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// A step in fp64, word for word.
struct Step {
  Dims d;
  Doubles image, gradient, weights, scale, bias;
  Doubles convolved, mean, inv_std, pooled;
  Doubles d_normed, d_scale, d_bias, d_convolved, d_weights, d_image;

  std::int64_t place(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const {
    return ((n * d.channels + c) * d.rows + h) * d.cols + w;
  }
  /// Calls body(n, k, h, w) for each value.
  template <class Body>
  void each(const Body& body) const {
    for (std::int64_t i = 0; i < d.values(); ++i) {
      body(i / d.plane() / d.channels, i / d.plane() % d.channels, i / d.cols % d.rows, i % d.cols);
    }
  }
  /// Calls body(input, weight, output), the places of each product of the convolution.
  template <class Body>
  void each_product(const Body& body) const {
    each([&](auto n, auto k, auto h, auto w) {
      for (std::int64_t c = 0; c < d.channels; ++c) {
        for (std::int64_t tap = 0; tap < 9; ++tap) {
          const auto row = h + tap / 3 - 1;
          const auto col = w + tap % 3 - 1;
          if (row < 0 || row >= d.rows || col < 0 || col >= d.cols) continue;
          body(at(place(n, c, row, col)), at((k * d.channels + c) * 9 + tap),
               at(place(n, k, h, w)));
        }
      }
    });
  }
  double normed(std::int64_t n, std::int64_t k, std::int64_t h, std::int64_t w) const {
    return scale[at(k)] * (convolved[at(place(n, k, h, w))] - mean[at(k)]) * inv_std[at(k)] +
           bias[at(k)];
  }

  void forward() {
    convolved.assign(at(d.values()), 0);
    each_product([&](auto x, auto w, auto c) { convolved[c] += weights[w] * image[x]; });
    mean.assign(at(d.channels), 0);
    Doubles variance(at(d.channels));
    const auto count = static_cast<double>(d.per_channel());
    each([&](auto n, auto k, auto h, auto w) {
      mean[at(k)] += convolved[at(place(n, k, h, w))] / count;
    });
    each([&](auto n, auto k, auto h, auto w) {
      variance[at(k)] += std::pow(convolved[at(place(n, k, h, w))] - mean[at(k)], 2) / count;
    });
    inv_std.clear();
    for (const double v : variance) {
      inv_std.push_back(1 / std::sqrt(v + static_cast<double>(network::epsilon)));
    }
    pooled.assign(at(d.pooled()), 0);
    each([&](auto n, auto k, auto h, auto w) {
      if (h / 2 >= d.pooled_rows() || w / 2 >= d.pooled_cols()) return;
      auto& largest = pooled[at(pooled_place(n, k, h, w))];
      largest = std::max(largest, normed(n, k, h, w));
    });
  }
  std::int64_t pooled_place(std::int64_t n, std::int64_t k, std::int64_t h, std::int64_t w) const {
    return ((n * d.channels + k) * d.pooled_rows() + h / 2) * d.pooled_cols() + w / 2;
  }

  void backward() {
    d_normed.assign(at(d.values()), 0);
    std::vector<bool> given(at(d.pooled()));
    each([&](auto n, auto k, auto h, auto w) {
      if (h / 2 >= d.pooled_rows() || w / 2 >= d.pooled_cols()) return;
      const auto window = at(pooled_place(n, k, h, w));
      const double value = normed(n, k, h, w);
      if (value <= 0 || value != pooled[window] || given[window]) return;
      given[window] = true;
      d_normed[at(place(n, k, h, w))] = gradient[window];
    });
    after_routing();
  }
  /// What follows from `d_normed`.
  void after_routing() {
    const auto count = static_cast<double>(d.per_channel());
    d_scale.assign(at(d.channels), 0);
    d_bias.assign(at(d.channels), 0);
    const auto deviation = [&](auto i, auto k) {
      return (convolved[at(i)] - mean[at(k)]) * inv_std[at(k)];
    };
    each([&](auto n, auto k, auto h, auto w) {
      const auto i = place(n, k, h, w);
      d_bias[at(k)] += d_normed[at(i)];
      d_scale[at(k)] += d_normed[at(i)] * deviation(i, k);
    });
    d_convolved.assign(at(d.values()), 0);
    each([&](auto n, auto k, auto h, auto w) {
      const auto i = place(n, k, h, w);
      d_convolved[at(i)] =
          scale[at(k)] * inv_std[at(k)] *
          (d_normed[at(i)] - d_bias[at(k)] / count - deviation(i, k) * d_scale[at(k)] / count);
    });
    d_weights.assign(at(d.weights()), 0);
    d_image.assign(at(d.values()), 0);
    each_product([&](auto x, auto w, auto c) {
      d_weights[w] += d_convolved[c] * image[x];
      d_image[x] += d_convolved[c] * weights[w];
    });
  }
};

inline Doubles part(std::span<const std::byte> bytes, std::int64_t offset, std::int64_t count) {
  const auto values =
      floats_of(bytes.subspan(at(offset) * sizeof(float), at(count) * sizeof(float)));
  return {values.begin(), values.end()};
}

inline Step step_of(const Network& problem) {
  Step step;
  const Dims& d = step.d = problem.dims();
  const auto given = network::input_layout(d, true);
  const auto parameters = network::constant_layout(d);
  step.image = part(problem.input(), given.image, d.values());
  step.gradient = part(problem.input(), given.gradient, d.pooled());
  step.weights = part(problem.constants(), parameters.weights, d.weights());
  step.scale = part(problem.constants(), parameters.scale, d.channels);
  step.bias = part(problem.constants(), parameters.bias, d.channels);
  step.forward();
  step.backward();
  return step;
}

inline std::vector<float> output_of(const Step& step) {
  const auto layout = network::output_layout(step.d, true);
  std::vector<float> out(at(layout.size), nan);
  const auto put = [&](const Doubles& values, std::int64_t offset) {
    std::transform(values.begin(), values.end(), out.begin() + offset,
                   [](double value) { return static_cast<float>(value); });
  };
  put(step.convolved, layout.convolved);
  put(step.mean, layout.mean);
  put(step.inv_std, layout.inv_std);
  put(step.pooled, layout.pooled);
  put(step.d_normed, layout.d_normed);
  put(step.d_scale, layout.d_scale);
  put(step.d_bias, layout.d_bias);
  put(step.d_convolved, layout.d_convolved);
  put(step.d_weights, layout.d_weights);
  put(step.d_image, layout.d_image);
  return out;
}

inline std::unique_ptr<Problem> network_of(DataSpec::Kind kind, const char* size,
                                           std::int64_t batch, std::int64_t channels,
                                           const char* type = "fp32") {
  return make("network", kind,
              {{"size", size}, {"batch", batch}, {"channels", channels}, {"type", type}});
}

inline const Network& as_network(const Problem& problem) {
  return static_cast<const Network&>(problem);
}

}  // namespace apod::test
