#include <algorithm>
#include <vector>

#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/bilinear/problem.hpp"

namespace apod::bilinear {
namespace {

/// The inputs around each output column, and their weights.
struct Columns {
  explicit Columns(const Side& side) {
    for (unsigned p = 0; p < side.out; ++p) {
      const auto at = position(side, p);
      left.push_back(at.index);
      right.push_back(side.next(at.index));
      of_left.push_back(weight_before(side, at.rest));
      of_right.push_back(weight_behind(side, at.rest));
    }
  }
  std::vector<unsigned> left, right;
  std::vector<float> of_left, of_right;
};

/// Rows of the input are stretched once each; every output row lies between two of these.
void forward(const Part& part, const Columns& cols, const float* in, float* out) {
  const Side rows = part.images.rows;
  const std::size_t width = part.images.cols.out;
  std::vector<float> upper(width), lower(width);
  const auto stretch = [&](unsigned row, std::vector<float>& stretched) {
    const float* values = in + std::size_t{row} * part.images.cols.in;
    for (std::size_t p = 0; p < width; ++p) {
      stretched[p] =
          cols.of_left[p] * values[cols.left[p]] + cols.of_right[p] * values[cols.right[p]];
    }
  };
  stretch(0, upper);
  stretch(rows.next(0), lower);
  Position at;
  for (unsigned o = 0; o < rows.out; ++o, out += width) {
    const float of_upper = weight_before(rows, at.rest);
    const float of_lower = weight_behind(rows, at.rest);
    for (std::size_t p = 0; p < width; ++p) out[p] = of_upper * upper[p] + of_lower * lower[p];
    if (advance(rows, at)) {
      upper.swap(lower);
      stretch(rows.next(at.index), lower);
    }
  }
}

/// Rows of the gradient are added up first, for the input row above them and for the one below.
void backward(const Part& part, const Columns& cols, const float* in, float* out) {
  const Side rows = part.images.rows;
  const std::size_t width = part.images.cols.out;
  std::vector<float> upper(width), lower(width);
  const auto store = [&](unsigned row) {
    float* sums = out + std::size_t{row} * part.images.cols.in;
    std::fill_n(sums, part.images.cols.in, 0.0F);
    for (std::size_t p = 0; p < width; ++p) {
      sums[cols.left[p]] += cols.of_left[p] * upper[p];
      sums[cols.right[p]] += cols.of_right[p] * upper[p];
    }
    upper.swap(lower);
    std::fill(lower.begin(), lower.end(), 0.0F);
  };
  Position at;
  for (unsigned o = 0; o < rows.out; ++o, in += width) {
    const float of_upper = weight_before(rows, at.rest);
    const float of_lower = weight_behind(rows, at.rest);
    for (std::size_t p = 0; p < width; ++p) {
      upper[p] += of_upper * in[p];
      lower[p] += of_lower * in[p];
    }
    const unsigned row = at.index;
    if (advance(rows, at)) store(row);
  }
  if (at.index < rows.in) store(at.index);
}

void interpolate(const Part& part) {
  const Columns cols(part.images.cols);
  const bool is_forward = part.direction == Direction::fprop;
  const std::size_t in = is_forward ? part.images.inputs() : part.images.outputs();
  const std::size_t out = is_forward ? part.images.outputs() : part.images.inputs();
  const auto compute = is_forward ? forward : backward;
  for (std::size_t i = 0; i < static_cast<std::size_t>(part.images.planes); ++i) {
    compute(part, cols, part.input + i * in, part.output + i * out);
  }
}

struct Host : Variant {
  void compute(const Task& task) const override {
    host::enqueue(
        task.stream, [part = part(task)] { interpolate(part); }, "interpolate");
  }
};
const VariantRegistrar<Host> registrar("bilinear", "host", BackendKind::host,
                                       "rows, then columns; one thread per stream");

}  // namespace
}  // namespace apod::bilinear
