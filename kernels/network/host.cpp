#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/network/tensors.hpp"

namespace apod::network {
namespace {

/// `weight(o, i, tap)` is that between channel i of `in` and o of `out`.
template <class Weight>
void correlate(const Dims& d, const float* in, float* out, const Weight& weight) {
  for (std::int64_t line = 0; line < d.batch * d.channels * d.rows; ++line) {
    const std::int64_t h = line % d.rows;
    const std::int64_t o = line / d.rows % d.channels;
    const std::int64_t n = line / d.rows / d.channels;
    float* sums = out + line * d.cols;
    std::fill_n(sums, d.cols, 0.0F);
    for (std::int64_t i = 0; i < d.channels; ++i) {
      for (std::int64_t tap = 0; tap < taps; ++tap) {
        const std::int64_t row = h + tap / 3 - 1;
        if (row < 0 || row >= d.rows) continue;
        const std::int64_t shift = tap % 3 - 1;
        const Overlap part(d.cols, shift);
        const float w = weight(o, i, tap);
        const float* source = in + ((n * d.channels + i) * d.rows + row) * d.cols + shift;
        for (std::int64_t j = part.begin; j < part.end; ++j) sums[j] += w * source[j];
      }
    }
  }
}

/// The sum of f(i) over [begin, end) in sixteen parts, which the compiler may do at once.
template <class F>
double sum_of(std::int64_t begin, std::int64_t end, const F& f) {
  constexpr std::int64_t lanes = 16;
  std::array<double, lanes> sums{};
  std::int64_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      sums[static_cast<std::size_t>(lane)] += f(i + lane);
    }
  }
  double sum = 0;
  for (; i < end; ++i) sum += f(i);
  for (const double part : sums) sum += part;
  return sum;
}

/// The sum of f over all values of channel k, a plane at a time.
template <class F>
double channel_sum(const Dims& d, std::int64_t k, const F& f) {
  double sum = 0;
  for (std::int64_t n = 0; n < d.batch; ++n) {
    const std::int64_t begin = (n * d.channels + k) * d.plane();
    sum += sum_of(begin, begin + d.plane(), f);
  }
  return sum;
}

void statistics(const Dims& d, const Tensors& t) {
  const auto count = static_cast<float>(d.per_channel());
  for (std::int64_t k = 0; k < d.channels; ++k) {
    const float* c = t.convolved;
    const auto mean =
        static_cast<float>(channel_sum(d, k, [c](std::int64_t i) { return c[i]; }) / count);
    const double squares =
        channel_sum(d, k, [c, mean](std::int64_t i) { return (c[i] - mean) * (c[i] - mean); });
    t.mean[k] = mean;
    t.inv_std[k] = static_cast<float>(1 / std::sqrt(squares / count + epsilon));
  }
}

/// Calls window(place, whole, corner) for each 2x2 window of each plane, those that are cut short
/// by the border among them: they have no place in the result.
template <class Window>
void each_window(const Dims& d, const Window& window) {
  for (std::int64_t plane = 0; plane < d.batch * d.channels; ++plane) {
    for (std::int64_t h = 0; h < d.rows; h += 2) {
      for (std::int64_t w = 0; w < d.cols; w += 2) {
        const bool whole = h + 1 < d.rows && w + 1 < d.cols;
        window((plane * d.pooled_rows() + h / 2) * d.pooled_cols() + w / 2, whole, plane, h, w);
      }
    }
  }
}

/// Batch norm of the values of plane `plane`.
auto norm_of(const Dims& d, const Tensors& t, std::int64_t plane) {
  const auto k = plane % d.channels;
  return [mean = t.mean[k], factor = t.scale[k] * t.inv_std[k], bias = t.bias[k]](float c) {
    return factor * (c - mean) + bias;
  };
}

void pool(const Dims& d, const Tensors& t) {
  each_window(
      d, [&](std::int64_t place, bool whole, std::int64_t plane, std::int64_t h, std::int64_t w) {
        if (!whole) return;
        const auto norm = norm_of(d, t, plane);
        const float* c = t.convolved + plane * d.plane() + h * d.cols + w;
        const float top = std::max(norm(c[0]), norm(c[1]));
        const float bottom = std::max(norm(c[d.cols]), norm(c[d.cols + 1]));
        t.pooled[place] = std::max(std::max(top, bottom), 0.0F);
      });
}

/// The gradient of each maximum goes to the first that has it, unless relu cut it off.
void pool_gradient(const Dims& d, const Tensors& t) {
  std::fill_n(t.d_normed, d.values(), 0.0F);
  each_window(
      d, [&](std::int64_t place, bool whole, std::int64_t plane, std::int64_t h, std::int64_t w) {
        if (!whole) return;
        const auto norm = norm_of(d, t, plane);
        const std::int64_t corner = plane * d.plane() + h * d.cols + w;
        std::int64_t first = corner;
        for (const std::int64_t i : {corner + 1, corner + d.cols, corner + d.cols + 1}) {
          if (norm(t.convolved[i]) > norm(t.convolved[first])) first = i;
        }
        if (norm(t.convolved[first]) > 0) t.d_normed[first] = t.gradient[place];
      });
}

void norm_gradient(const Dims& d, const Tensors& t) {
  const auto count = static_cast<float>(d.per_channel());
  for (std::int64_t k = 0; k < d.channels; ++k) {
    const float* c = t.convolved;
    const float* g = t.d_normed;
    const float mean = t.mean[k];
    const float inv_std = t.inv_std[k];
    const auto d_bias = static_cast<float>(channel_sum(d, k, [g](std::int64_t i) { return g[i]; }));
    const auto d_scale = static_cast<float>(channel_sum(
        d, k, [g, c, mean, inv_std](std::int64_t i) { return g[i] * ((c[i] - mean) * inv_std); }));
    t.d_bias[k] = d_bias;
    t.d_scale[k] = d_scale;
    const float factor = t.scale[k] * inv_std;
    const float from_bias = d_bias / count;
    const float from_scale = d_scale / count;
    for (std::int64_t n = 0; n < d.batch; ++n) {
      const std::int64_t begin = (n * d.channels + k) * d.plane();
      for (std::int64_t i = begin; i < begin + d.plane(); ++i) {
        t.d_convolved[i] = factor * (g[i] - from_bias - (c[i] - mean) * inv_std * from_scale);
      }
    }
  }
}

void weight_gradient(const Dims& d, const Tensors& t) {
  for (std::int64_t i = 0; i < d.weights(); ++i) {
    const std::int64_t tap = i % taps;
    const std::int64_t c = i / taps % d.channels;
    const std::int64_t k = i / taps / d.channels;
    const std::int64_t down = tap / 3 - 1;
    const std::int64_t shift = tap % 3 - 1;
    const Overlap rows(d.rows, down);
    const Overlap cols(d.cols, shift);
    double sum = 0;
    for (std::int64_t n = 0; n < d.batch; ++n) {
      for (std::int64_t h = rows.begin; h < rows.end; ++h) {
        const float* left = t.d_convolved + ((n * d.channels + k) * d.rows + h) * d.cols;
        const float* right = t.image + ((n * d.channels + c) * d.rows + h + down) * d.cols + shift;
        sum += sum_of(cols.begin, cols.end,
                      [left, right](std::int64_t w) { return left[w] * right[w]; });
      }
    }
    t.d_weights[i] = static_cast<float>(sum);
  }
}

void step(const Dims& d, bool backward, const Tensors& t) {
  const auto weight = [&](std::int64_t k, std::int64_t c, std::int64_t tap) {
    return t.weights[(k * d.channels + c) * taps + tap];
  };
  correlate(d, t.image, t.convolved, weight);
  statistics(d, t);
  pool(d, t);
  if (!backward) return;
  pool_gradient(d, t);
  norm_gradient(d, t);
  weight_gradient(d, t);
  correlate(d, t.d_convolved, t.d_image, [&](std::int64_t c, std::int64_t k, std::int64_t tap) {
    return weight(k, c, taps - 1 - tap);
  });
}

struct Host : Variant {
  std::optional<std::string> rejects(const Params& params) const override {
    if (params.choice_or("layout", Order::nchw) == Order::nchw) return std::nullopt;
    return "this variant has no NHWC; use cudnn or cudnn_direct";
  }
  void compute(const Task& task) const override {
    const auto& network = static_cast<const Network&>(task.problem);
    host::enqueue(
        task.stream,
        [d = network.dims(), backward = network.backward(), t = tensors_of(task)] {
          step(d, backward, t);
        },
        "network_step");
  }
};
const VariantRegistrar<Host> registrar("network", "host", BackendKind::host,
                                       "rows vectorised; one thread per stream");

}  // namespace
}  // namespace apod::network
