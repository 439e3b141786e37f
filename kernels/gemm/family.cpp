#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/api/chunk.hpp"
#include "kernels/api/registry.hpp"
#include "kernels/data/data.hpp"
#include "kernels/data/product_sides.hpp"
#include "kernels/gemm/problem.hpp"

namespace apod::gemm {

Chunk Product::chunk(std::int64_t index, std::int64_t count) const {
  const auto a_row = static_cast<std::size_t>(k()) * size_of(type_);
  const auto c_row = static_cast<std::size_t>(n()) * sizeof(float);
  return split_records(a_.shape().rows, a_row, c_row, index, count);
}

std::size_t Product::output_bytes(std::int64_t) const {
  return static_cast<std::size_t>(a_.shape().rows * n()) * sizeof(float);
}

Part part(const Task& task) {
  const auto& problem = static_cast<const Product&>(task.problem);
  return {.rows = static_cast<int>(task.chunk.end - task.chunk.begin),
          .n = static_cast<int>(problem.n()),
          .k = static_cast<int>(problem.k()),
          .type = problem.type()};
}

Operation operation(const Part& part) {
  const auto rows = static_cast<double>(part.rows);
  const auto n = static_cast<double>(part.n);
  const auto k = static_cast<double>(part.k);
  return {.name = "gemm",
          .direction = "fprop",
          .shapes = to_string(Shape{part.rows, part.k}) + " * " + to_string(Shape{part.k, part.n}),
          .type = std::string(to_string(part.type)),
          .flops = 2 * rows * n * k,
          .bytes = (rows * k + k * n) * static_cast<double>(size_of(part.type)) +
                   rows * n * sizeof(float)};
}

namespace {

class GemmFamily : public Family {
 public:
  std::string_view name() const override { return "gemm"; }
  std::string_view summary() const override { return "product of two matrices, C = A B"; }
  std::vector<AxisSpec> axes() const override {
    return {{.name = "size",
             .kind = AxisSpec::Kind::shape,
             .help = "rows x columns of A, m x k",
             .default_value = std::string("1024x1024"),
             .max = largest_side},
            count_axis("n", "columns of B and C", 1024, largest_columns),
            choice_axis("type", "type of A and B; sums and C are fp32",
                        {"fp32", "tf32", "fp16", "bf16"})};
  }

  std::optional<std::string> rejects(const Params& params) const override {
    const auto [m, n, k] = sides(params);
    if (m > largest_side || k > largest_side) {
      return "size " + to_string(Shape{m, k}) + " has a dimension of more than " +
             std::to_string(largest_side);
    }
    if (n < 1 || n > largest_columns) {
      return "n " + std::to_string(n) + " is not within 1 to " + std::to_string(largest_columns);
    }
    return std::nullopt;
  }

  /// With a copy of B for every stream.
  Footprint footprint(const Params& params) const override {
    const auto [m, n, k] = sides(params);
    const auto streams = std::max<std::int64_t>(1, params.integer_or("streams", 1));
    const auto bytes = size_of(type(params));
    return {static_cast<std::uint64_t>(m * k + streams * k * n) * bytes,
            static_cast<std::uint64_t>(m * n) * sizeof(float)};
  }

  Traffic traffic(const Params& params) const override {
    const auto [m, n, k] = sides(params);
    const double flops =
        2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    Traffic traffic{.bytes_read = static_cast<double>(m * k + k * n) *
                                  static_cast<double>(size_of(type(params))),
                    .bytes_written = static_cast<double>(m * n) * sizeof(float),
                    .is_product = true};
    traffic.flops(type(params)) = flops;
    return traffic;
  }

  /// A multiplication and an addition for each product, and the same for its size where data may be
  /// negative.
  double reference_flops(const Params& params) const override {
    const auto known = sides(params);
    return 4 * static_cast<double>(checked_rows(known)) * static_cast<double>(known.n) *
           static_cast<double>(known.k);
  }

  /// B comes from the next seed, or is uniform where A comes from a file.
  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    if (const auto reason = rejects(params)) throw std::runtime_error(*reason);
    const auto [m, n, k] = sides(params);
    DataSpec of_b = data;
    if (data.kind == DataSpec::Kind::file) of_b.kind = DataSpec::Kind::uniform;
    of_b.seed += 1;
    return std::make_unique<Product>(operand("A", data, {m, k}, type(params)),
                                     operand("B", of_b, {k, n}, type(params)), type(params));
  }

 private:
  static ProductSides sides(const Params& params) { return product_sides(params).value(); }
  static Number type(const Params& params) { return params.choice_or("type", Number::fp32); }
  static Operand operand(const std::string& name, const DataSpec& data, Shape shape, Number type) {
    try {
      return {make_image(data, shape), shape, type};
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(name + ": " + error.what());
    }
  }
};
const FamilyRegistrar<GemmFamily> registrar;

}  // namespace
}  // namespace apod::gemm
