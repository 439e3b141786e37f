#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "kernels/api/chunk.hpp"
#include "kernels/api/registry.hpp"
#include "kernels/bilinear/problem.hpp"
#include "kernels/data/data.hpp"
#include "kernels/data/worst.hpp"

namespace apod::bilinear {

namespace {

/// With it, a window of the output that one warp holds is wider than the reach of one input.
constexpr std::int64_t largest_scale = 32;
constexpr std::int64_t most_planes = 1 << 20;                ///< in each of batch and channels
constexpr std::int64_t most_values = std::int64_t{1} << 40;  ///< on the larger side

/// The most outputs that reach one input of a side.
double most_outputs(const Side& side) {
  unsigned most = 0;
  for (unsigned i = 0; i < side.in; ++i) {
    most = std::max(most, last_output(side, i) - first_output(side, i) + 1);
  }
  return most;
}

/// The largest error of a correct result, relative to the sum of its terms' magnitudes, with
/// u = 2^-24 and all weights made from whole numbers.
///
/// Forward: each weight has two roundings (1 / unit and its product), each of the two directions
/// adds a product and an addition: 8 u, and one more for products of the errors.
///
/// Backward: as many roundings of weights and products, and n - 1 additions of n terms in any
/// order: (n + 8) u always holds. Errors of many additions cancel: they stay below 8 sqrt(n) u
/// except with a probability of 2 n exp(-32) (Higham and Mary, "A New Approach to Probabilistic
/// Rounding Error Analysis", SIAM J. Sci. Comput. 41, 2019). The smaller bound is used, so that a
/// lost term shows.
double tolerance(const Images& images, Direction direction) {
  constexpr double unit = std::numeric_limits<float>::epsilon() / 2;
  if (direction == Direction::fprop) return 9 * unit;
  const double terms = most_outputs(images.rows) * most_outputs(images.cols);
  return (std::min(terms, 8 * std::sqrt(terms)) + 8) * unit;
}

/// Below this sum of magnitudes products in fp32 underflow: the error is relative to this instead.
constexpr double smallest_magnitude = 1e-30;

}  // namespace

Bilinear::Bilinear(std::shared_ptr<const Floats> values, const Images& images, Direction direction)
    : values_(std::move(values)),
      images_(images),
      direction_(direction),
      rows_(neighbours(images.rows)),
      cols_(neighbours(images.cols)) {}

std::vector<Bilinear::Neighbours> Bilinear::neighbours(const Side& side) {
  std::vector<Neighbours> all(side.out);
  const double unit = side.unit;
  for (unsigned o = 0; o < side.out; ++o) {
    const auto at = position(side, o);
    all[o] = {{at.index, side.next(at.index)}, {(unit - at.rest) / unit, at.rest / unit}};
  }
  return all;
}

Chunk Bilinear::chunk(std::int64_t index, std::int64_t count) const {
  const std::size_t in = (forward() ? images_.inputs() : images_.outputs()) * sizeof(float);
  const std::size_t out = (forward() ? images_.outputs() : images_.inputs()) * sizeof(float);
  return split_records(images_.planes, in, out, index, count);
}

std::size_t Bilinear::output_bytes(std::int64_t) const {
  const std::size_t plane = forward() ? images_.outputs() : images_.inputs();
  return static_cast<std::size_t>(images_.planes) * plane * sizeof(float);
}

Shape Bilinear::result() const {
  return forward() ? Shape{images_.rows.out, images_.cols.out}
                   : Shape{images_.rows.in, images_.cols.in};
}

void Bilinear::reference_forward(const float* plane, unsigned row, Row& reference) const {
  const auto& y = rows_[row];
  for (std::size_t p = 0; p < cols_.size(); ++p) {
    const auto& x = cols_[p];
    for (std::size_t k = 0; k < 2; ++k) {
      const float* values = plane + std::size_t{y.index[k]} * images_.cols.in;
      for (std::size_t l = 0; l < 2; ++l) {
        const double term = y.weight[k] * x.weight[l] * values[x.index[l]];
        reference.sums[p] += term;
        reference.magnitudes[p] += std::abs(term);
      }
    }
  }
}

/// The transpose of the above, term by term: it does not know which outputs an input is reached
/// by, only which inputs an output lies between.
void Bilinear::reference_backward(const float* plane, unsigned row, Row& reference) const {
  const auto first = std::partition_point(rows_.begin(), rows_.end(),
                                          [&](const auto& y) { return y.index[1] < row; });
  for (auto y = first; y != rows_.end() && y->index[0] <= row; ++y) {
    const float* gradients = plane + static_cast<std::size_t>(y - rows_.begin()) * cols_.size();
    for (std::size_t k = 0; k < 2; ++k) {
      if (y->index[k] != row) continue;
      for (std::size_t p = 0; p < cols_.size(); ++p) {
        const auto& x = cols_[p];
        for (std::size_t l = 0; l < 2; ++l) {
          const double term = y->weight[k] * x.weight[l] * gradients[p];
          reference.sums[x.index[l]] += term;
          reference.magnitudes[x.index[l]] += std::abs(term);
        }
      }
    }
  }
}

void Bilinear::reference_row(const float* plane, unsigned row, Row& reference) const {
  const auto cols = static_cast<std::size_t>(result().cols);
  reference.sums.assign(cols, 0);
  reference.magnitudes.assign(cols, 0);
  forward() ? reference_forward(plane, row, reference) : reference_backward(plane, row, reference);
}

Verification Bilinear::verify(std::span<const std::byte> output, std::int64_t) const {
  Verification check;
  check.measure = "largest error of a value, relative to the sum of its terms' magnitudes";
  check.tolerance = tolerance(images_, direction_);
  if (!has_size(output, output_bytes(1), check)) return check;
  const auto value = [&](std::size_t index) -> double { return element_of<float>(output, index); };
  const Shape shape = result();
  const auto cols = static_cast<std::size_t>(shape.cols);
  const std::size_t plane_values = forward() ? images_.inputs() : images_.outputs();
  const auto row_of = [&](std::int64_t i, Row& row) {
    const float* plane = values_->data() + static_cast<std::size_t>(i / shape.rows) * plane_values;
    reference_row(plane, static_cast<unsigned>(i % shape.rows), row);
  };

  Worst worst;
  std::mutex mutex;
  parallel_for(images_.planes * shape.rows, [&](std::int64_t first, std::int64_t last) {
    Worst mine;
    Row row;
    for (std::int64_t i = first; i < last; ++i) {
      row_of(i, row);
      for (std::size_t c = 0; c < cols; ++c) {
        const std::size_t index = static_cast<std::size_t>(i) * cols + c;
        const double scale = std::max(row.magnitudes[c], smallest_magnitude);
        mine.consider({std::abs(value(index) - row.sums[c]) / scale, index});
      }
    }
    const std::lock_guard lock(mutex);
    worst.consider(mine);
  });
  check.error = worst.error;
  Row row;
  const auto i = static_cast<std::int64_t>(worst.index / cols);
  row_of(i, row);
  judge(check,
        "plane " + std::to_string(i / shape.rows) + ", row " + std::to_string(i % shape.rows) +
            ", column " + std::to_string(worst.index % cols),
        value(worst.index), row.sums[worst.index % cols]);
  return check;
}

Part part(const Task& task) {
  const auto& problem = static_cast<const Bilinear&>(task.problem);
  Part part{task.in().data(), task.out().data(), problem.images(), problem.direction()};
  part.images.planes = task.chunk.end - task.chunk.begin;
  return part;
}

namespace {

Images images_of(const Params& params) {
  const Shape shape = params.shape("size");
  const std::int64_t scale = params.integer("scale");
  const auto side = [&](std::int64_t in) {
    return Side{static_cast<unsigned>(in), static_cast<unsigned>(in * scale)};
  };
  return {params.integer("batch") * params.integer("channels"), side(shape.rows), side(shape.cols)};
}

Direction direction_of(const Params& params) {
  return params.choice_or("direction", Direction::fprop);
}

double total(const Images& images, std::size_t of_plane) {
  return static_cast<double>(images.planes) * static_cast<double>(of_plane);
}

class BilinearFamily : public Family {
 public:
  std::string_view name() const override { return "bilinear"; }
  std::string_view summary() const override {
    return "bilinear interpolation of fp32 images, forward and backward";
  }
  std::vector<AxisSpec> axes() const override {
    return {{.name = "size",
             .kind = AxisSpec::Kind::shape,
             .help = "rows x columns of an input image",
             .default_value = std::string("64x64"),
             .max = largest_side},
            count_axis("batch", "images", 10, most_planes),
            count_axis("channels", "planes per image", 16, most_planes),
            count_axis("scale", "output width / input width", 2, largest_scale),
            choice_axis("direction",
                        "fprop: compute the outputs; bprop: compute the gradients of the inputs",
                        {"fprop", "bprop"})};
  }

  std::optional<std::string> rejects(const Params& params) const override {
    const Shape shape = params.shape("size");
    for (const auto& [axis, most] :
         {std::pair{"batch", most_planes}, {"channels", most_planes}, {"scale", largest_scale}}) {
      const std::int64_t value = params.integer(axis);
      if (value >= 1 && value <= most) continue;
      return std::string(axis) + " " + std::to_string(value) + " is not within 1 to " +
             std::to_string(most);
    }
    const std::int64_t scale = params.integer("scale");
    const std::int64_t longest = std::max(shape.rows, shape.cols);
    if (longest > largest_side / scale) {
      return "size " + to_string(shape) + " at scale " + std::to_string(scale) +
             " makes an output dimension of more than " + std::to_string(largest_side);
    }
    const Images images = images_of(params);
    if (images.planes > most_values / static_cast<std::int64_t>(images.outputs())) {
      return std::to_string(images.planes) + " planes of " +
             to_string(Shape{images.rows.out, images.cols.out}) +
             " need more than 2^40 values: try a smaller batch";
    }
    return std::nullopt;
  }

  Footprint footprint(const Params& params) const override {
    const Images images = images_of(params);
    const auto bytes = [&](std::size_t of_plane) {
      return static_cast<std::uint64_t>(images.planes) * of_plane * sizeof(float);
    };
    const auto inputs = bytes(images.inputs());
    const auto outputs = bytes(images.outputs());
    return direction_of(params) == Direction::fprop ? Footprint{inputs, outputs}
                                                    : Footprint{outputs, inputs};
  }

  /// Each value read once, each written once. Two multiply-adds for each value between two columns,
  /// of every input row, and two for each output between two of these rows; backward the same in
  /// turn. Weights are few, for all planes have the same.
  Traffic traffic(const Params& params) const override {
    const Images images = images_of(params);
    const double inputs = total(images, images.inputs()) * sizeof(float);
    const double outputs = total(images, images.outputs()) * sizeof(float);
    const bool forward = direction_of(params) == Direction::fprop;
    const std::size_t between_columns = std::size_t{images.rows.in} * images.cols.out;
    return {.bytes_read = forward ? inputs : outputs,
            .bytes_written = forward ? outputs : inputs,
            .flops_fp32 = 4 * total(images, between_columns + images.outputs())};
  }

  /// Each verification computes it anew, with the place and the weights of each value.
  double reference_flops(const Params& params) const override {
    constexpr double a_value = 200;
    const Images images = images_of(params);
    return a_value * total(images, std::max(images.inputs(), images.outputs()));
  }

  /// The planes are one image, one below the other: that of a file holds as many.
  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    if (const auto reason = rejects(params)) throw std::runtime_error(*reason);
    const Images images = images_of(params);
    const Direction direction = direction_of(params);
    const bool forward = direction == Direction::fprop;
    const Shape stack{images.planes * (forward ? images.rows.in : images.rows.out),
                      forward ? images.cols.in : images.cols.out};
    return std::make_unique<Bilinear>(make_image(data, stack), images, direction);
  }
};
const FamilyRegistrar<BilinearFamily> registrar;

}  // namespace
}  // namespace apod::bilinear
