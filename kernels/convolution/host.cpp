#include <algorithm>
#include <array>
#include <vector>

#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/convolution/problem.hpp"

namespace apod::convolution {
namespace {

/// Columns computed together: their sums stay in registers while all weights pass.
constexpr int block = 32;

/// The rows within reach of the mask, with zeros around them and already in the accumulator's type.
/// So no pixel is at a border, and all of them take the one fast loop. Row r of the image is in
/// slot r modulo the mask's width.
template <class Accumulator>
class Window {
 public:
  explicit Window(const Part& part)
      : part_(part),
        stride_((part.cols + block - 1) / block * block + part.width - 1),
        rows_(static_cast<std::size_t>(stride_) * static_cast<std::size_t>(part.width)) {}

  /// Starts `radius` columns left of the image.
  const Accumulator* row(int r) const { return rows_.data() + slot(r); }

  /// Rows outside of the image are zeros.
  void load(const float* image, int r) {
    Accumulator* target = rows_.data() + slot(r) + part_.width / 2;
    if (r < 0 || r >= part_.rows) {
      std::fill_n(target, part_.cols, Accumulator{0});
    } else {
      std::copy_n(image + static_cast<std::size_t>(r) * static_cast<std::size_t>(part_.cols),
                  part_.cols, target);
    }
  }

 private:
  std::size_t slot(int r) const {
    // r may be as low as minus the radius.
    return static_cast<std::size_t>((r + part_.width) % part_.width) *
           static_cast<std::size_t>(stride_);
  }

  Part part_;
  int stride_;
  std::vector<Accumulator> rows_;
};

/// `weights` is the mask turned by 180 degrees, so that it and the rows are read in one direction.
template <class Accumulator>
void convolve_row(const std::array<const Accumulator*, largest_mask>& rows,
                  const std::vector<Accumulator>& weights, const Part& part, float* out) {
  for (int j = 0; j < part.cols; j += block) {
    std::array<Accumulator, block> sums{};
    const Accumulator* weight = weights.data();
    for (int k = 0; k < part.width; ++k) {
      const Accumulator* pixels = rows[static_cast<std::size_t>(k)] + j;
      for (int l = 0; l < part.width; ++l, ++weight, ++pixels) {
        for (int x = 0; x < block; ++x) sums[static_cast<std::size_t>(x)] += *weight * pixels[x];
      }
    }
    const int count = std::min(block, part.cols - j);
    for (int x = 0; x < count; ++x) {
      out[j + x] = static_cast<float>(sums[static_cast<std::size_t>(x)]);
    }
  }
}

template <class Accumulator>
void convolve_part(const float* image, const float* mask, float* out, const Part& part) {
  const int taps = part.width * part.width;
  const std::vector<Accumulator> weights(std::reverse_iterator(mask + taps),
                                         std::reverse_iterator(mask));
  Window<Accumulator> window(part);
  const int radius = part.width / 2;
  for (int r = part.first - radius; r < part.first + radius; ++r) window.load(image, r);
  for (int i = 0; i < part.out_rows; ++i) {
    const int top = part.first + i - radius;
    window.load(image, top + 2 * radius);
    std::array<const Accumulator*, largest_mask> rows{};
    for (int k = 0; k < part.width; ++k) rows[static_cast<std::size_t>(k)] = window.row(top + k);
    convolve_row<Accumulator>(
        rows, weights, part,
        out + static_cast<std::size_t>(i) * static_cast<std::size_t>(part.cols));
  }
}

struct Host : Variant {
  void compute(const Task& task) const override {
    const auto work =
        task.accumulator() == Number::fp64 ? convolve_part<double> : convolve_part<float>;
    host::enqueue(
        task.stream,
        [work, image = task.in().data(), mask = static_cast<const float*>(task.constants),
         out = task.out().data(), part = part(task)] { work(image, mask, out, part); },
        "convolve_part");
  }
};
const VariantRegistrar<Host> registrar("convolution", "host", BackendKind::host,
                                       "padded rows, vectorised; one thread per stream");

}  // namespace
}  // namespace apod::convolution
