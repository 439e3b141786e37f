#include "kernels/network/reference.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/data/data.hpp"

namespace apod::network {
namespace {

/// Adds to each plane of `out` the planes of `in` that meet it. `weight(o, i, tap)` is that between
/// channel i of `in` and o of `out`, whose tap reaches `tap / 3 - 1` rows and `tap % 3 - 1` columns
/// ahead.
template <class Weight>
std::vector<double> correlate(const Dims& d, std::span<const float> in, const Weight& weight) {
  std::vector<double> out(static_cast<std::size_t>(d.values()));
  parallel_for(d.batch * d.channels * d.rows, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t line = first; line < last; ++line) {
      const std::int64_t h = line % d.rows;
      const std::int64_t o = line / d.rows % d.channels;
      const std::int64_t n = line / d.rows / d.channels;
      double* sums = out.data() + line * d.cols;
      for (std::int64_t i = 0; i < d.channels; ++i) {
        for (std::int64_t tap = 0; tap < taps; ++tap) {
          const std::int64_t row = h + tap / 3 - 1;
          if (row < 0 || row >= d.rows) continue;
          const std::int64_t shift = tap % 3 - 1;
          const double w = weight(o, i, tap);
          const float* source = in.data() + ((n * d.channels + i) * d.rows + row) * d.cols + shift;
          const Overlap part(d.cols, shift);
          for (std::int64_t j = part.begin; j < part.end; ++j) sums[j] += w * source[j];
        }
      }
    }
  });
  return out;
}

void add(Powers& powers, double value) {
  const double square = value * value;
  powers.second += square;
  powers.fourth += square * square;
}

}  // namespace

std::vector<double> convolve(const Dims& d, std::span<const float> image,
                             std::span<const float> weights) {
  return correlate(d, image, [&](std::int64_t k, std::int64_t c, std::int64_t tap) {
    return weights[static_cast<std::size_t>((k * d.channels + c) * taps + tap)];
  });
}

std::vector<double> image_gradient(const Dims& d, std::span<const float> d_convolved,
                                   std::span<const float> weights) {
  return correlate(d, d_convolved, [&](std::int64_t c, std::int64_t k, std::int64_t tap) {
    return weights[static_cast<std::size_t>((k * d.channels + c) * taps + taps - 1 - tap)];
  });
}

std::vector<double> weight_gradient(const Dims& d, std::span<const float> d_convolved,
                                    std::span<const float> image) {
  std::vector<double> out(static_cast<std::size_t>(d.weights()));
  parallel_for(d.channels * d.channels, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t pair = first; pair < last; ++pair) {
      const std::int64_t k = pair / d.channels;
      const std::int64_t c = pair % d.channels;
      double* sums = out.data() + pair * taps;
      for (std::int64_t n = 0; n < d.batch; ++n) {
        const float* left = d_convolved.data() + (n * d.channels + k) * d.plane();
        const float* right = image.data() + (n * d.channels + c) * d.plane();
        for (std::int64_t tap = 0; tap < taps; ++tap) {
          const std::int64_t down = tap / 3 - 1;
          const std::int64_t shift = tap % 3 - 1;
          const Overlap rows(d.rows, down);
          const Overlap cols(d.cols, shift);
          double sum = 0;
          for (std::int64_t h = rows.begin; h < rows.end; ++h) {
            const float* a = left + h * d.cols;
            const float* b = right + (h + down) * d.cols + shift;
            for (std::int64_t w = cols.begin; w < cols.end; ++w) {
              sum += static_cast<double>(a[w]) * b[w];
            }
          }
          sums[tap] += sum;
        }
      }
    }
  });
  return out;
}

std::vector<Powers> patch_powers(const Dims& d, std::span<const float> values) {
  std::vector<Powers> pixels(static_cast<std::size_t>(d.per_channel()));
  std::vector<Powers> patches(pixels.size());
  const auto at = [&](std::int64_t n, std::int64_t h, std::int64_t w) {
    return static_cast<std::size_t>((n * d.rows + h) * d.cols + w);
  };
  parallel_for(d.batch, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t n = first; n < last; ++n) {
      for (std::int64_t c = 0; c < d.channels; ++c) {
        for (std::int64_t p = 0; p < d.plane(); ++p) {
          add(pixels[at(n, 0, p)],
              values[static_cast<std::size_t>((n * d.channels + c) * d.plane() + p)]);
        }
      }
      for (std::int64_t h = 0; h < d.rows; ++h) {
        for (std::int64_t w = 0; w < d.cols; ++w) {
          Powers& patch = patches[at(n, h, w)];
          for (std::int64_t i = std::max<std::int64_t>(0, h - 1); i < std::min(d.rows, h + 2);
               ++i) {
            for (std::int64_t j = std::max<std::int64_t>(0, w - 1); j < std::min(d.cols, w + 2);
                 ++j) {
              patch.second += pixels[at(n, i, j)].second;
              patch.fourth += pixels[at(n, i, j)].fourth;
            }
          }
        }
      }
    }
  });
  return patches;
}

std::vector<Powers> channel_powers(const Dims& d, std::span<const float> values) {
  std::vector<Powers> channels(static_cast<std::size_t>(d.channels));
  parallel_for(d.channels, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t c = first; c < last; ++c) {
      for (std::int64_t n = 0; n < d.batch; ++n) {
        const float* plane = values.data() + (n * d.channels + c) * d.plane();
        for (std::int64_t p = 0; p < d.plane(); ++p) {
          add(channels[static_cast<std::size_t>(c)], plane[p]);
        }
      }
    }
  });
  return channels;
}

std::vector<Powers> filter_powers(const Dims& d, std::span<const float> weights) {
  std::vector<Powers> filters(static_cast<std::size_t>(d.channels));
  for (std::int64_t i = 0; i < d.weights(); ++i) {
    add(filters[static_cast<std::size_t>(i / (d.channels * taps))],
        weights[static_cast<std::size_t>(i)]);
  }
  return filters;
}

std::vector<Powers> weight_powers_of_channels(const Dims& d, std::span<const float> weights) {
  std::vector<Powers> channels(static_cast<std::size_t>(d.channels));
  for (std::int64_t i = 0; i < d.weights(); ++i) {
    add(channels[static_cast<std::size_t>(i / taps % d.channels)],
        weights[static_cast<std::size_t>(i)]);
  }
  return channels;
}

}  // namespace apod::network
