#pragma once

/// \file
/// A convolution as a product of spectra, tile by tile. For .cu files only; without cufft.h there
/// is no such variant.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "kernels/api/registry.hpp"

#if __has_include(<cufft.h>)
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/convolution/fft_plans.hpp"
#include "kernels/convolution/problem.hpp"

namespace apod::convolution {

// Tiles of at most 512 x 512, of which the widest mask costs 11 %. The tiles at one time stay
// within the second-level cache of a large device, because each is read and written five times.
constexpr int smallest_side = 64;
constexpr int largest_tile = 512;
constexpr int most_at_once = 16;
constexpr int threads = 256;

/// How an image is cut into tiles: overlap-save (Oppenheim and Schafer, "Discrete-Time Signal
/// Processing", 8.7.3). In the circular convolution of a tile the first width - 1 rows and columns
/// are wrong, so tiles overlap by that many.
struct Tiles {
  int side = 0;
  int step = 0;  ///< right rows and columns of a tile
  int across = 0;
  int count = 0;
  int batch = 0;  ///< tiles that are transformed at once; a power of two

  int pitch() const { return side / 2 + 1; }  ///< complex numbers of a row
  std::size_t numbers() const { return static_cast<std::size_t>(side) * pitch(); }  ///< of a tile
};

inline Tiles tiles_of(const Part& part) {
  Tiles tiles;
  const int reach = part.width - 1;
  const auto longest = static_cast<unsigned>(std::max(part.out_rows, part.cols) + reach);
  tiles.side = std::clamp(static_cast<int>(std::bit_ceil(longest)), smallest_side, largest_tile);
  tiles.step = tiles.side - reach;
  tiles.across = (part.cols + tiles.step - 1) / tiles.step;
  tiles.count = tiles.across * ((part.out_rows + tiles.step - 1) / tiles.step);
  tiles.batch =
      static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::min(tiles.count, most_at_once))));
  return tiles;
}

/// The mask in the corner of a tile of zeros, divided by what both transforms multiply with.
template <class Real>
__global__ void place_mask(const float* mask, int width, Real* tile, int side) {
  const int col = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  const int pitch = 2 * (side / 2 + 1);
  if (col >= pitch) return;
  const bool inside = row < width && col < width;
  const Real weight = inside ? mask[row * width + col] : 0;
  tile[static_cast<std::size_t>(row) * pitch + col] = weight / (static_cast<Real>(side) * side);
}

/// One tile a block of the third dimension, from tile `first` on; zeros outside of the image.
template <class Real>
__global__ void take_tiles(const float* image, Part part, Real* batch, int first, int side,
                           int across) {
  const int col = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  const int pitch = 2 * (side / 2 + 1);
  if (col >= pitch) return;
  const int tile = first + static_cast<int>(blockIdx.z);
  const int step = side - (part.width - 1);
  const int from_row = part.first + tile / across * step - part.width / 2 + row;
  const int from_col = tile % across * step - part.width / 2 + col;
  const bool inside =
      from_row >= 0 && from_row < part.rows && from_col >= 0 && from_col < part.cols;
  const Real pixel = inside ? image[static_cast<std::int64_t>(from_row) * part.cols + from_col] : 0;
  batch[(static_cast<std::size_t>(blockIdx.z) * side + row) * pitch + col] = pixel;
}

template <class Complex>
__global__ void multiply(Complex* batch, const Complex* mask, std::size_t numbers) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= numbers) return;
  Complex& value = batch[blockIdx.y * numbers + i];
  const Complex x = value;
  const Complex m = mask[i];
  value.x = x.x * m.x - x.y * m.y;
  value.y = x.x * m.y + x.y * m.x;
}

/// Stores the valid part of each tile.
template <class Real>
__global__ void keep_results(const Real* batch, float* out, Part part, int first, int side,
                             int across) {
  const int col = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  const int reach = part.width - 1;
  const int step = side - reach;
  const int tile = first + static_cast<int>(blockIdx.z);
  const int to_row = tile / across * step + row;
  const int to_col = tile % across * step + col;
  if (col >= step || to_row >= part.out_rows || to_col >= part.cols) return;
  const int pitch = 2 * (side / 2 + 1);
  const Real* rows = batch + static_cast<std::size_t>(blockIdx.z) * side * pitch;
  out[static_cast<std::int64_t>(to_row) * part.cols + to_col] =
      static_cast<float>(rows[static_cast<std::size_t>(row + reach) * pitch + col + reach]);
}

/// The parts of a task's scratch, each of whole 256-byte lines: the mask, a batch, cuFFT's own.
template <class Real>
struct Layout {
  explicit Layout(const Tiles& tiles)
      : of_mask(fft::plan(tiles.side, 1, fft::Types<Real>::there)),
        there(fft::plan(tiles.side, tiles.batch, fft::Types<Real>::there)),
        back(fft::plan(tiles.side, tiles.batch, fft::Types<Real>::back)) {
    const auto lines = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
    const std::size_t tile_bytes = tiles.numbers() * sizeof(typename fft::Types<Real>::Complex);
    batch_at = lines(tile_bytes);
    work_at = batch_at + lines(tile_bytes * static_cast<std::size_t>(tiles.batch));
    bytes = work_at + std::max({of_mask.work_bytes, there.work_bytes, back.work_bytes});
  }

  fft::Plan of_mask, there, back;
  std::size_t batch_at = 0;  ///< bytes; the mask is at 0
  std::size_t work_at = 0;
  std::size_t bytes = 0;
};

template <class Real>
void convolve(const Task& task) {
  using Types = fft::Types<Real>;
  using Complex = typename Types::Complex;
  const Part work = part(task);
  const Tiles tiles = tiles_of(work);
  const Layout<Real> layout(tiles);
  const auto stream = cuda::native(task.stream);
  auto* scratch = static_cast<std::byte*>(task.scratch);
  auto* mask = reinterpret_cast<Complex*>(scratch);
  auto* batch = reinterpret_cast<Complex*>(scratch + layout.batch_at);
  auto* area = scratch + layout.work_at;
  const auto blocks = [](std::size_t n) {
    return static_cast<unsigned>((n + threads - 1) / threads);
  };
  const unsigned cols = blocks(2 * static_cast<std::size_t>(tiles.pitch()));
  const auto side = static_cast<unsigned>(tiles.side);
  const auto at_once = static_cast<unsigned>(tiles.batch);

  place_mask<<<dim3(cols, side), threads, 0, stream>>>(static_cast<const float*>(task.constants),
                                                       work.width, reinterpret_cast<Real*>(mask),
                                                       tiles.side);
  cuda::launched("place_mask");
  fft::execute<Real>(layout.of_mask, Types::there, mask, area, stream);
  for (int first = 0; first < tiles.count; first += tiles.batch) {
    take_tiles<<<dim3(cols, side, at_once), threads, 0, stream>>>(
        task.in().data(), work, reinterpret_cast<Real*>(batch), first, tiles.side, tiles.across);
    cuda::launched("take_tiles");
    fft::execute<Real>(layout.there, Types::there, batch, area, stream);
    multiply<<<dim3(blocks(tiles.numbers()), at_once), threads, 0, stream>>>(batch, mask,
                                                                             tiles.numbers());
    cuda::launched("multiply");
    fft::execute<Real>(layout.back, Types::back, batch, area, stream);
    keep_results<<<dim3(cols, static_cast<unsigned>(tiles.step), at_once), threads, 0, stream>>>(
        reinterpret_cast<const Real*>(batch), task.out().data(), work, first, tiles.side,
        tiles.across);
    cuda::launched("keep_results");
  }
}

/// The error of a transform is in proportion to the brightest pixel of a tile. In fp64 it is small
/// enough for the darkest ones, whatever the accumulator; in fp32 only for images without much
/// contrast.
template <class Real>
struct Fft : Variant {
  bool executes_counted_work(const Params&) const override { return false; }
  std::optional<std::string> rejects(const Params& params) const override {
    if (sizeof(Real) == sizeof(double) || accumulator_of(params) == Number::fp32)
      return std::nullopt;
    return "accumulator fp64 needs a transform in fp64: use the variant fft";
  }
  /// The mask and the most tiles of the largest size, and as much for cuFFT.
  std::size_t most_scratch_bytes(const Params&) const override {
    constexpr std::size_t numbers = std::size_t{largest_tile} * (largest_tile / 2 + 1);
    return 2 * (most_at_once + 1) * numbers * 2 * sizeof(Real);
  }
  std::size_t scratch_bytes(const Problem& problem, const Params&,
                            const Chunk& chunk) const override {
    return Layout<Real>(tiles_of(part(static_cast<const Convolution&>(problem), chunk))).bytes;
  }
  void compute(const Task& task) const override { convolve<Real>(task); }
};

/// Why cuFFT can't be used here; empty if it can.
inline std::string cufft_missing() {
  return fft::library().missing();
}

}  // namespace apod::convolution
#else
namespace apod::convolution {

template <class>
using Fft = void;
inline std::string cufft_missing() {
  return "built without cuFFT: cufft.h was not found";
}

}  // namespace apod::convolution
#endif
