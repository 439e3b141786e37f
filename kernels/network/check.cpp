/// Compares a result with its operations in fp64. Every bound is that of one operation, computed
/// from the tensors that the result itself holds, so none of them has to follow an error through
/// the network.
///
/// u is the unit roundoff of fp32, 2^-24. A sum in fp32 of terms t has errors of u times its
/// partial sums. The terms here have no common sign (weights are symmetric about 0, the gradient dc
/// of batch norm has mean 0), so partial sums walk at random, and the spread of the error is at
/// most 0.4 u * sum |t| whatever their number (Higham and Mary 2019, "A new approach to
/// probabilistic rounding error analysis"). `deep` is some eighty times that: it holds for sums in
/// any order, and for those of statistics that have a common sign but are summed in parts.
///
/// Fast algorithms have errors of up to ten times those of the direct one (Lavin and Gray 2016,
/// "Fast algorithms for convolutional neural networks", table 4 and 5), and in proportion to what
/// is in their tile. Of cuDNN's, 36 u of sum |t| were seen on an H200; `fast` allows 64 u. A
/// product of TF32 that passes for one of fp32 has some 600 u at its worst place.
///
/// A few roundings, in any order, are at most 8 u times what is added up.
///
/// TF32 cuts both factors to 11 bits, so each product has a relative error below 2^-9, of one sign
/// where they are cut and not rounded. Of the sum that leaves 2^-9 of its value, and a walk at
/// random with steps of less than 2^-9 |t|, of which four times the root of the sum of squares is
/// over ten times the spread. Cauchy and Schwarz bound sum |a b| and sum (a b)^2 by the factors'
/// own powers.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>

#include "kernels/data/worst.hpp"
#include "kernels/network/reference.hpp"

namespace apod::network {
namespace {

constexpr double u = std::numeric_limits<float>::epsilon() / 2;
constexpr double deep = 32 * u;
constexpr double fast = 64 * u;
constexpr double few = 8 * u;

std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// The worst value of a result, in units of the bound of its error.
class WorstValue {
 public:
  /// NaN counts as worse than any number. A bound of 0 asks for equality.
  void consider(const char* tensor, std::int64_t at, double got, double wanted, double bound) {
    const double difference = std::abs(got - wanted);
    double error = difference == 0 ? 0 : difference / bound;
    if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
    if (error <= error_) return;
    error_ = error;
    tensor_ = tensor;
    at_ = at;
    got_ = got;
    wanted_ = wanted;
  }
  void consider(const WorstValue& other) {
    if (other.error_ > error_) *this = other;
  }
  Verification verification() const {
    Verification check;
    check.measure = "largest error, in units of its bound";
    check.error = error_;
    check.tolerance = 1;
    judge(check, "value " + std::to_string(at_) + " of " + tensor_, got_, wanted_);
    return check;
  }

 private:
  double error_ = 0;
  const char* tensor_ = "";
  std::int64_t at_ = 0;
  double got_ = 0;
  double wanted_ = 0;
};

/// Calls judge(worst, i) for each i below `count`, on all cores.
template <class Judge>
void judge_all(WorstValue& worst, std::int64_t count, const Judge& judge) {
  std::mutex mutex;
  parallel_for(count, [&](std::int64_t first, std::int64_t last) {
    WorstValue mine;
    for (std::int64_t i = first; i < last; ++i) judge(mine, i);
    const std::lock_guard lock(mutex);
    worst.consider(mine);
  });
}

/// The tensors of a step, where they lie.
struct Spans {
  std::span<const float> image, gradient, weights, scale, bias;
  std::span<const float> convolved, mean, inv_std, pooled;
  std::span<const float> d_normed, d_scale, d_bias, d_convolved, d_weights, d_image;
};

void check_convolution(WorstValue& worst, const Dims& d, const Spans& t,
                       const std::vector<double>& wanted, Number math) {
  const auto patches = patch_powers(d, t.image);
  const auto filters = filter_powers(d, t.weights);
  judge_all(worst, d.values(), [&](WorstValue& mine, std::int64_t i) {
    const auto k = i / d.plane() % d.channels;
    const auto patch = i / d.plane() / d.channels * d.plane() + i % d.plane();
    const double value = wanted[index(i)];
    mine.consider("the convolution", i, t.convolved[index(i)], value,
                  product_bound(patches[index(patch)], filters[index(k)], value, math));
  });
}

/// A variance may be the mean of squares less the square of the mean: its error is then in
/// proportion to the former.
void check_statistics(WorstValue& worst, const Dims& d, const Spans& t) {
  const auto count = static_cast<double>(d.per_channel());
  judge_all(worst, d.channels, [&](WorstValue& mine, std::int64_t k) {
    double sum = 0;
    double squares = 0;
    const auto planes = [&](const auto& add) {
      for (std::int64_t n = 0; n < d.batch; ++n) {
        const float* plane = t.convolved.data() + (n * d.channels + k) * d.plane();
        for (std::int64_t p = 0; p < d.plane(); ++p) add(static_cast<double>(plane[p]));
      }
    };
    planes([&](double value) {
      sum += value;
      squares += value * value;
    });
    const double mean = sum / count;
    double deviations = 0;
    planes([&](double value) { deviations += (value - mean) * (value - mean); });
    const double variance = deviations / count + static_cast<double>(epsilon);
    mine.consider("the means", k, t.mean[index(k)], mean, deep * std::sqrt(squares / count));
    const double inv_std = 1 / std::sqrt(variance);
    mine.consider("the inverse deviations", k, t.inv_std[index(k)], inv_std,
                  (few + deep * squares / count / variance) * inv_std);
  });
}

/// Batch norm of one value, and its error bound, which allows computing it as a * c + b.
struct Normed {
  Normed(const Spans& t, std::int64_t k, double c) {
    const double factor = static_cast<double>(t.scale[index(k)]) * t.inv_std[index(k)];
    const double mean = t.mean[index(k)];
    value = factor * (c - mean) + t.bias[index(k)];
    bound = few * (std::abs(factor) * (std::abs(c) + std::abs(mean)) + std::abs(t.bias[index(k)]));
  }
  double value;
  double bound;
};

/// The maximum of each window, and that its gradient went to a value that may have been it. Where
/// two differ by less than the error of batch norm either may have won, and where the maximum is
/// that near to 0 relu may have passed it or not.
void check_windows(WorstValue& worst, const Dims& d, const Spans& t, bool backward) {
  const auto rows = (d.rows + 1) / 2;
  const auto cols = (d.cols + 1) / 2;
  judge_all(worst, d.batch * d.channels * rows * cols, [&](WorstValue& mine, std::int64_t window) {
    const auto plane = window / (rows * cols);
    const auto row = window / cols % rows;
    const auto col = window % cols;
    const auto k = plane % d.channels;
    const bool whole = row < d.pooled_rows() && col < d.pooled_cols();
    const auto place = (plane * d.pooled_rows() + row) * d.pooled_cols() + col;
    double largest = -std::numeric_limits<double>::infinity();
    double bound = 0;
    std::array<std::int64_t, 4> at{};
    std::array<double, 4> normed{};
    int count = 0;
    for (std::int64_t h = 2 * row; h < std::min(d.rows, 2 * row + 2); ++h) {
      for (std::int64_t w = 2 * col; w < std::min(d.cols, 2 * col + 2); ++w) {
        const auto i = plane * d.plane() + h * d.cols + w;
        const Normed z(t, k, t.convolved[index(i)]);
        largest = std::max(largest, z.value);
        bound = std::max(bound, z.bound);
        at[index(count)] = i;
        normed[index(count++)] = z.value;
      }
    }
    if (whole) {
      mine.consider("the result", place, t.pooled[index(place)], std::max(0.0, largest), bound);
    }
    if (!backward) return;
    const double wanted = whole ? t.gradient[index(place)] : 0;
    bool given = wanted == 0;
    for (int i = 0; i < count; ++i) {
      const double got = t.d_normed[index(at[index(i)])];
      if (got == 0) continue;
      // To the first that may have it; whatever is given a second time is wrong.
      const bool may = !given && normed[index(i)] >= std::max(largest - 2 * bound, -bound);
      mine.consider("the gradient of batch norm's result", at[index(i)], got, may ? wanted : 0, 0);
      given = true;
    }
    if (!given && largest > bound) {
      mine.consider("the gradient of batch norm's result", at[0], 0, wanted, 0);
    }
  });
}

void check_batch_norm_gradients(WorstValue& worst, const Dims& d, const Spans& t) {
  const auto count = static_cast<double>(d.per_channel());
  judge_all(worst, d.channels, [&](WorstValue& mine, std::int64_t k) {
    const double mean = t.mean[index(k)];
    const double inv_std = t.inv_std[index(k)];
    double d_bias = 0;
    double d_scale = 0;
    double bias_terms = 0;
    double scale_terms = 0;
    for (std::int64_t n = 0; n < d.batch; ++n) {
      const auto begin = (n * d.channels + k) * d.plane();
      for (std::int64_t i = begin; i < begin + d.plane(); ++i) {
        const double c = t.convolved[index(i)];
        const double g = t.d_normed[index(i)];
        d_bias += g;
        d_scale += g * (c - mean) * inv_std;
        bias_terms += std::abs(g);
        scale_terms += std::abs(g) * (std::abs(c) + std::abs(mean)) * inv_std;
      }
    }
    mine.consider("the gradient of the bias", k, t.d_bias[index(k)], d_bias, deep * bias_terms);
    mine.consider("the gradient of the scale", k, t.d_scale[index(k)], d_scale, deep * scale_terms);
  });
  judge_all(worst, d.values(), [&](WorstValue& mine, std::int64_t i) {
    const auto k = index(i / d.plane() % d.channels);
    const double inv_std = t.inv_std[k];
    const double factor = t.scale[k] * inv_std;
    const double c = t.convolved[index(i)];
    const double mean = t.mean[k];
    const double g = t.d_normed[index(i)];
    const double from_bias = t.d_bias[k] / count;
    const double from_scale = t.d_scale[k] / count * inv_std;
    const double wanted = factor * (g - from_bias - (c - mean) * from_scale);
    const double terms =
        std::abs(g) + std::abs(from_bias) + (std::abs(c) + std::abs(mean)) * std::abs(from_scale);
    mine.consider("the gradient of the convolution", i, t.d_convolved[index(i)], wanted,
                  few * std::abs(factor) * terms);
  });
}

void check_convolution_gradients(WorstValue& worst, const Dims& d, const Spans& t, Number math) {
  {
    const auto wanted = weight_gradient(d, t.d_convolved, t.image);
    const auto left = channel_powers(d, t.d_convolved);
    const auto right = channel_powers(d, t.image);
    judge_all(worst, d.weights(), [&](WorstValue& mine, std::int64_t i) {
      const auto k = index(i / taps / d.channels);
      const auto c = index(i / taps % d.channels);
      const double value = wanted[index(i)];
      mine.consider("the gradient of the weights", i, t.d_weights[index(i)], value,
                    product_bound(left[k], right[c], value, math));
    });
  }
  const auto wanted = image_gradient(d, t.d_convolved, t.weights);
  const auto patches = patch_powers(d, t.d_convolved);
  const auto weights = weight_powers_of_channels(d, t.weights);
  judge_all(worst, d.values(), [&](WorstValue& mine, std::int64_t i) {
    const auto c = index(i / d.plane() % d.channels);
    const auto patch = index(i / d.plane() / d.channels * d.plane() + i % d.plane());
    const double value = wanted[index(i)];
    mine.consider("the gradient of the image", i, t.d_image[index(i)], value,
                  product_bound(patches[patch], weights[c], value, math));
  });
}

}  // namespace

double product_bound(const Powers& a, const Powers& b, double value, Number math) {
  const double magnitude = std::sqrt(a.second) * std::sqrt(b.second);
  if (math == Number::fp32) return fast * magnitude;
  constexpr double cut = 1.0 / 512;
  const double walk = std::sqrt(std::sqrt(a.fourth) * std::sqrt(b.fourth));
  return deep * magnitude + cut * (std::abs(value) + 4 * walk);
}

Verification Network::verify(std::span<const std::byte> output, std::int64_t chunks) const {
  Verification sized{.tolerance = 1, .measure = "largest error, in units of its bound"};
  if (!has_size(output, output_bytes(chunks), sized)) return sized;
  const Dims& d = dims_;
  const float* in = input_.data();
  const float* constants = constants_.data();
  std::vector<float> made_in_nchw;
  const auto* out = reinterpret_cast<const float*>(output.data());
  if (order_ == Order::nhwc) {
    made_in_nchw = to_nchw(std::vector<float>(out, out + output.size() / sizeof(float)),
                           output_places(d, backward_));
    out = made_in_nchw.data();
  }
  const auto given = input_layout(d, backward_);
  const auto parameters = constant_layout(d);
  const auto made = output_layout(d, backward_);
  const auto tensor = [](const float* from, std::int64_t offset, std::int64_t size) {
    return std::span(from + offset, index(size));
  };
  Spans t;
  t.image = tensor(in, given.image, d.values());
  t.weights = tensor(constants, parameters.weights, d.weights());
  t.scale = tensor(constants, parameters.scale, d.channels);
  t.bias = tensor(constants, parameters.bias, d.channels);
  t.convolved = tensor(out, made.convolved, d.values());
  t.mean = tensor(out, made.mean, d.channels);
  t.inv_std = tensor(out, made.inv_std, d.channels);
  t.pooled = tensor(out, made.pooled, d.pooled());
  WorstValue worst;
  check_convolution(worst, d, t, *convolved_, math_);
  check_statistics(worst, d, t);
  if (backward_) {
    t.gradient = tensor(in, given.gradient, d.pooled());
    t.d_normed = tensor(out, made.d_normed, d.values());
    t.d_scale = tensor(out, made.d_scale, d.channels);
    t.d_bias = tensor(out, made.d_bias, d.channels);
    t.d_convolved = tensor(out, made.d_convolved, d.values());
    t.d_weights = tensor(out, made.d_weights, d.weights());
    t.d_image = tensor(out, made.d_image, d.values());
  }
  check_windows(worst, d, t, backward_);
  if (backward_) {
    check_batch_norm_gradients(worst, d, t);
    check_convolution_gradients(worst, d, t, math_);
  }
  return worst.verification();
}

}  // namespace apod::network
