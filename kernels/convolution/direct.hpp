#pragma once

/// \file
/// The kernel of the nvprof tutorial and its launch. The variants differ in types or in the order
/// of threads. For .cu files only.

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/convolution/problem.hpp"

namespace apod::convolution {

/// Which side of the image the threads of a warp go along.
enum class Along { rows, columns };

/// One thread per pixel: products in `Product`, their sum in `Sum`.
template <class Product, class Sum, Along along>
__global__ void __launch_bounds__(1024)
    convolve_direct(const float* image, const float* mask, float* out, Part part) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int i = along == Along::rows ? x : y;
  const int j = along == Along::rows ? y : x;
  if (i >= part.out_rows || j >= part.cols) return;
  const int radius = part.width / 2;
  Sum sum = 0;
  for (int k = 0; k < part.width; ++k) {
    const int row = part.first + i - k + radius;
    for (int l = 0; l < part.width; ++l) {
      const int col = j - l + radius;
      if (row >= 0 && row < part.rows && col >= 0 && col < part.cols) {
        sum += static_cast<Product>(mask[k * part.width + l]) *
               static_cast<Product>(image[static_cast<std::size_t>(row) * part.cols + col]);
      }
    }
  }
  out[static_cast<std::size_t>(i) * part.cols + j] = static_cast<float>(sum);
}

/// Enqueues it in the tutorial's blocks of 32 x 32.
template <class Product, class Sum, Along along>
void launch_direct(const Task& task) {
  const Part work = part(task);
  if (work.out_rows == 0) return;
  constexpr int side = 32;
  const auto blocks = [](int n) { return static_cast<unsigned>((n + side - 1) / side); };
  const unsigned rows = blocks(work.out_rows);
  const unsigned cols = blocks(work.cols);
  const dim3 grid = along == Along::rows ? dim3(rows, cols) : dim3(cols, rows);
  convolve_direct<Product, Sum, along><<<grid, dim3(side, side), 0, cuda::native(task.stream)>>>(
      task.in().data(), static_cast<const float*>(task.constants), task.out().data(), work);
  cuda::launched("convolve_direct");
}

}  // namespace apod::convolution
