#pragma once

/// \file
/// Forward, by strips. For .cu files only.

#include "kernels/backends/cuda/check.hpp"
#include "kernels/bilinear/strips.hpp"

namespace apod::bilinear {

/// All at once; `target` is aligned to them.
template <int width>
__device__ void store(float* target, const float (&values)[width]) {
  if constexpr (width == 4) {
    __stcs(reinterpret_cast<float4*>(target),
           make_float4(values[0], values[1], values[2], values[3]));
  } else if constexpr (width == 2) {
    __stcs(reinterpret_cast<float2*>(target), make_float2(values[0], values[1]));
  } else {
    __stcs(target, values[0]);
  }
}

/// The inputs around `width` neighbouring output columns, and their weights.
template <int width>
struct Columns {
  unsigned left[width], right[width];
  float of_left[width], of_right[width];

  __device__ Columns(const Side& side, unsigned first) {
    Position at = position(side, first);
#pragma unroll
    for (int k = 0; k < width; ++k) {
      left[k] = at.index;
      right[k] = side.next(at.index);
      of_left[k] = weight_before(side, at.rest);
      of_right[k] = weight_behind(side, at.rest);
      advance(side, at);
    }
  }

  /// An input row as wide as the output.
  __device__ void stretch(float (&stretched)[width], const float* row) const {
#pragma unroll
    for (int k = 0; k < width; ++k) {
      stretched[k] = of_left[k] * __ldg(row + left[k]) + of_right[k] * __ldg(row + right[k]);
    }
  }
};

/// A thread makes `width` neighbouring columns of a strip. It holds the two input rows around its
/// output row, stretched to the output's columns, so that an input row is read once a strip and an
/// output costs two multiply-adds. Outputs are not read again here: they are stored past the
/// caches' regular lines, which the input's rows need.
template <int width>
__global__ void __launch_bounds__(strip_threads)
    interpolate_strips(const float* in, float* out, Images images, unsigned strip_rows) {
  const Side& rows = images.rows;
  const unsigned groups = images.cols.out / width;
  const unsigned item = blockIdx.x * strip_threads + threadIdx.x;
  const unsigned col = item % groups * width;
  const unsigned first = item / groups * strip_rows;
  if (first >= rows.out) return;
  const unsigned last = std::min(first + strip_rows, rows.out);
  const Columns<width> columns(images.cols, col);
  const Position start = position(rows, first);

  for (std::size_t plane = blockIdx.y; plane < images.planes; plane += gridDim.y) {
    const float* source = in + plane * images.inputs();
    float* target = out + plane * images.outputs() + std::size_t{first} * images.cols.out + col;
    const auto row = [&](unsigned index) { return source + std::size_t{index} * images.cols.in; };
    Position at = start;
    float upper[width];
    float lower[width];
    columns.stretch(upper, row(at.index));
    columns.stretch(lower, row(rows.next(at.index)));
    for (unsigned o = first;;) {
      const float of_upper = weight_before(rows, at.rest);
      const float of_lower = weight_behind(rows, at.rest);
      float values[width];
#pragma unroll
      for (int k = 0; k < width; ++k) values[k] = of_upper * upper[k] + of_lower * lower[k];
      store(target, values);
      if (++o == last) break;
      target += images.cols.out;
      if (advance(rows, at)) {
#pragma unroll
        for (int k = 0; k < width; ++k) upper[k] = lower[k];
        columns.stretch(lower, row(rows.next(at.index)));
      }
    }
  }
}

template <int width>
void launch_forward(const Part& work, cudaStream_t stream) {
  const Images& images = work.images;
  const Strips strips = strips_of(images.planes, images.rows.out, images.cols.out / width, 16);
  interpolate_strips<width>
      <<<strips.grid, strip_threads, 0, stream>>>(work.input, work.output, images, strips.rows);
  cuda::launched("interpolate_strips");
}

/// Stores of 16 bytes if every row of the output begins at a multiple of them, else smaller ones.
inline void forward_by_strips(const Part& work, cudaStream_t stream) {
  if (work.images.cols.out % 4 == 0) return launch_forward<4>(work, stream);
  if (work.images.cols.out % 2 == 0) return launch_forward<2>(work, stream);
  launch_forward<1>(work, stream);
}

}  // namespace apod::bilinear
