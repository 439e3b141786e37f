#include <cstring>

#include "kernels/api/chunk.hpp"
#include "kernels/api/registry.hpp"
#include "kernels/data/data.hpp"
#include "kernels/transfer/problem.hpp"

namespace apod::transfer {
namespace {

/// Verification for both directions: the output, value by value, bit by bit.
class Transfer : public Problem {
 public:
  explicit Transfer(std::shared_ptr<const Floats> values) : values_(std::move(values)) {}

  std::span<const std::byte> input() const override { return std::as_bytes(std::span(*values_)); }

 protected:
  const Floats& values() const { return *values_; }

  /// Counts a value that is not the wanted one; the first is described.
  static void compare(std::span<const std::byte> output, std::size_t i, float wanted,
                      Verification& check) {
    if (std::memcmp(output.data() + i * sizeof(float), &wanted, sizeof wanted) == 0) return;
    if (check.error == 0) check.detail = "value " + std::to_string(i) + " differs";
    check.error += 1;
  }
  static Verification finished(Verification check) {
    check.measure = "differing values";
    check.passed = check.error == 0;
    return check;
  }

 private:
  std::shared_ptr<const Floats> values_;
};

class Upload : public Transfer {
 public:
  using Transfer::Transfer;

  Chunk chunk(std::int64_t index, std::int64_t count) const override {
    auto chunk = split_elements(static_cast<std::int64_t>(values().size()), index, count);
    chunk.output_bytes = chosen * sizeof(float);
    chunk.output_offset = static_cast<std::size_t>(index) * chunk.output_bytes;
    return chunk;
  }
  std::size_t output_bytes(std::int64_t chunks) const override {
    return static_cast<std::size_t>(chunks) * chosen * sizeof(float);
  }
  Verification verify(std::span<const std::byte> output, std::int64_t chunks) const override {
    Verification check;
    for (std::int64_t index = 0; index < chunks; ++index) {
      const auto part = chunk(index, chunks);
      const auto begin = part.input_offset / sizeof(float);
      const auto count = part.input_bytes / sizeof(float);
      for (std::size_t i = 0; i < chosen; ++i) {
        const float wanted = count == 0 ? 0 : values()[begin + position(i, count)];
        compare(output, static_cast<std::size_t>(index) * chosen + i, wanted, check);
      }
    }
    return finished(check);
  }
};

class Download : public Transfer {
 public:
  Download(std::shared_ptr<const Floats> values, std::int64_t size)
      : Transfer(std::move(values)), size_(size) {}

  Chunk chunk(std::int64_t index, std::int64_t count) const override {
    auto chunk = split_map(size_, index, count);
    chunk.input_offset = 0;  // each chunk gets the whole tile
    chunk.input_bytes = tile * sizeof(float);
    return chunk;
  }
  std::size_t output_bytes(std::int64_t) const override {
    return static_cast<std::size_t>(size_) * sizeof(float);
  }
  Verification verify(std::span<const std::byte> output, std::int64_t chunks) const override {
    Verification check;
    for (std::int64_t index = 0; index < chunks; ++index) {
      const auto part = chunk(index, chunks);
      const auto begin = part.output_offset / sizeof(float);
      for (std::size_t i = 0; i < part.output_bytes / sizeof(float); ++i) {
        compare(output, begin + i, values()[i % tile], check);
      }
    }
    return finished(check);
  }

 private:
  std::int64_t size_;
};

class TransferFamily : public Family {
 public:
  std::string_view name() const override { return "transfer"; }
  std::string_view summary() const override {
    return "copies an array over the host link in one direction; measures the ceiling of copies "
           "(end_to_end)";
  }
  std::vector<AxisSpec> axes() const override {
    return {count_axis("size", "4-byte values to transfer", std::int64_t{1} << 24),
            choice_axis("direction", "direction of the copy: to the device, or back",
                        {"upload", "download"})};
  }
  Footprint footprint(const Params& params) const override {
    const auto bytes = static_cast<std::uint64_t>(params.integer("size")) * sizeof(float);
    const auto chunks = static_cast<std::uint64_t>(params.integer_or("streams", 1));
    if (direction(params) == Direction::upload) return {bytes, chunks * chosen * sizeof(float)};
    return {chunks * tile * sizeof(float), bytes};
  }
  Traffic traffic(const Params& params) const override {
    const double few = chosen * sizeof(float);
    if (direction(params) == Direction::upload) return {.bytes_read = few, .bytes_written = few};
    return {.bytes_read = tile * sizeof(float),
            .bytes_written = static_cast<double>(params.integer("size")) * sizeof(float)};
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    const auto size = params.integer("size");
    if (direction(params) == Direction::upload) {
      return std::make_unique<Upload>(make_vector(data, size));
    }
    return std::make_unique<Download>(make_vector(data, static_cast<std::int64_t>(tile)), size);
  }

 private:
  static Direction direction(const Params& params) {
    return params.choice_or("direction", Direction::upload);
  }
};
const FamilyRegistrar<TransferFamily> registrar;

}  // namespace
}  // namespace apod::transfer
