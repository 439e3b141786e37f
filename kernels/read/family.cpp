#include <atomic>
#include <cstdint>
#include <cstring>

#include "kernels/api/chunk.hpp"
#include "kernels/api/registry.hpp"
#include "kernels/data/data.hpp"
#include "kernels/read/problem.hpp"

namespace apod::read {
namespace {

std::uint32_t checksum(std::span<const std::byte> bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint32_t)) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    sum += word;
  }
  return sum;
}

/// Reads every byte once and keeps next to nothing: what device memory gives. Integer sums have one
/// right value, so a single byte that was not read is found.
class Read : public Problem {
 public:
  explicit Read(std::shared_ptr<const Floats> values) : values_(std::move(values)) {
    std::atomic<std::uint32_t> sum{0};
    parallel_for(static_cast<std::int64_t>(values_->size()),
                 [&](std::int64_t begin, std::int64_t end) {
                   const auto part = std::span(*values_).subspan(
                       static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
                   sum += checksum(std::as_bytes(part));
                 });
    wanted_ = sum;
  }

  std::span<const std::byte> input() const override { return std::as_bytes(std::span(*values_)); }
  Chunk chunk(std::int64_t index, std::int64_t count) const override {
    auto chunk = split_elements(static_cast<std::int64_t>(values_->size()), index, count);
    chunk.output_bytes = partial_sums * sizeof(std::uint32_t);
    chunk.output_offset = static_cast<std::size_t>(index) * chunk.output_bytes;
    return chunk;
  }
  std::size_t output_bytes(std::int64_t chunks) const override {
    return static_cast<std::size_t>(chunks) * partial_sums * sizeof(std::uint32_t);
  }
  Verification verify(std::span<const std::byte> output, std::int64_t) const override {
    const auto got = checksum(output);
    Verification check;
    check.measure = "wrong checksums";
    check.passed = got == wanted_;
    if (!check.passed) {
      check.error = 1;
      check.detail = "the words add up to " + std::to_string(got) + ", expected " +
                     std::to_string(wanted_) + " (modulo 2^32)";
    }
    return check;
  }

 private:
  std::shared_ptr<const Floats> values_;
  std::uint32_t wanted_ = 0;
};

class ReadFamily : public Family {
 public:
  std::string_view name() const override { return "read"; }
  std::string_view summary() const override {
    return "reads an array once; measures the ceiling of device memory";
  }
  std::vector<AxisSpec> axes() const override {
    return {count_axis("size", "elements of 4 bytes", std::int64_t{1} << 24)};
  }
  Footprint footprint(const Params& params) const override {
    const auto bytes = static_cast<std::uint64_t>(params.integer("size")) * sizeof(float);
    const auto chunks = static_cast<std::uint64_t>(params.integer_or("streams", 1));
    return {bytes, chunks * partial_sums * sizeof(std::uint32_t)};
  }
  Traffic traffic(const Params& params) const override {
    return {.bytes_read = static_cast<double>(params.integer("size")) * sizeof(float),
            .bytes_written = partial_sums * sizeof(std::uint32_t)};
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    return std::make_unique<Read>(make_vector(data, params.integer("size")));
  }
};
const FamilyRegistrar<ReadFamily> registrar;

}  // namespace
}  // namespace apod::read
