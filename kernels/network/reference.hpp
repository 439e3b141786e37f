#pragma once

/// \file
/// The three convolutions of a layer in fp64, on all cores, and the norms that bound the errors of
/// computing them in less.

#include <span>
#include <vector>

#include "kernels/network/problem.hpp"

namespace apod::network {

/// out(n, k, h, w) = sum over c, i, j of w(k, c, i, j) * x(n, c, h + i - 1, w + j - 1), with zeros
/// outside the image: what deep learning calls a convolution, with the filter unturned.
std::vector<double> convolve(const Dims& dims, std::span<const float> image,
                             std::span<const float> weights);
/// The gradient of the image: sum over k, i, j of w(k, c, i, j) * dc(n, k, h - i + 1, w - j + 1).
std::vector<double> image_gradient(const Dims& dims, std::span<const float> d_convolved,
                                   std::span<const float> weights);
/// The gradient of the weights: sum over n, h, w of dc(n, k, h, w) * x(n, c, h + i - 1, w + j - 1).
std::vector<double> weight_gradient(const Dims& dims, std::span<const float> d_convolved,
                                    std::span<const float> image);

/// Sums of powers of the factors of a sum of products: what Cauchy and Schwarz need.
struct Powers {
  double second = 0;  ///< sum of squares
  double fourth = 0;
};
/// Of the 3x3 neighbourhood of each pixel in all channels: batch * plane() entries.
std::vector<Powers> patch_powers(const Dims& dims, std::span<const float> values);
/// Of each channel of a tensor: channels entries.
std::vector<Powers> channel_powers(const Dims& dims, std::span<const float> values);
/// Of the weights of each filter (k), and of those that meet each channel (c).
std::vector<Powers> filter_powers(const Dims& dims, std::span<const float> weights);
std::vector<Powers> weight_powers_of_channels(const Dims& dims, std::span<const float> weights);

/// The largest error of a sum of products whose factors have these powers and whose value is
/// `value`; see check.cpp.
double product_bound(const Powers& a, const Powers& b, double value, Number math);

}  // namespace apod::network
