#include <cstdint>
#include <cstring>

#include "kernels/api/chunk.hpp"
#include "kernels/api/registry.hpp"

namespace apod::launch {
namespace {

/// A number of launches, one after the other, of a kernel that does next to nothing: the first one
/// sets every word to 1, each other adds 1. What was not launched, or not in order, is found.
class Launches : public Problem {
 public:
  Launches(std::int64_t size, std::int64_t launches)
      : size_(size), launches_(static_cast<std::uint32_t>(launches)) {}

  std::span<const std::byte> input() const override { return {}; }
  Chunk chunk(std::int64_t index, std::int64_t count) const override {
    auto chunk = split_map(size_, index, count);
    chunk.input_offset = chunk.input_bytes = 0;
    return chunk;
  }
  std::size_t output_bytes(std::int64_t) const override {
    return static_cast<std::size_t>(size_) * sizeof(std::uint32_t);
  }
  Verification verify(std::span<const std::byte> output, std::int64_t) const override {
    Verification check;
    check.measure = "wrong words";
    for (std::size_t i = 0; i < output.size(); i += sizeof(std::uint32_t)) {
      std::uint32_t word = 0;
      std::memcpy(&word, output.data() + i, sizeof word);
      if (word == launches_) continue;
      if (check.error == 0) {
        check.detail = "word " + std::to_string(i / sizeof word) + " is " + std::to_string(word) +
                       ", expected " + std::to_string(launches_);
      }
      check.error += 1;
    }
    check.passed = check.error == 0;
    return check;
  }

 private:
  std::int64_t size_;
  std::uint32_t launches_;
};

class LaunchFamily : public Family {
 public:
  std::string_view name() const override { return "launch"; }
  std::string_view summary() const override {
    return "kernels that do almost nothing; measures the interval between launches";
  }
  std::vector<AxisSpec> axes() const override {
    return {
        count_axis("size", "4-byte words that each launch increments", 1, std::int64_t{1} << 32),
        count_axis("launches", "launches, one after the other", 8, std::int64_t{1} << 20),
        {.name = "launches_before",
         .help = "launches of empty kernels before each sample",
         .default_value = 0,
         .min = 0,
         .max = 64}};
  }
  Footprint footprint(const Params& params) const override {
    return {0, static_cast<std::uint64_t>(params.integer("size")) * sizeof(std::uint32_t)};
  }
  Traffic traffic(const Params& params) const override {
    return {.bytes_written = static_cast<double>(params.integer("size")) * sizeof(std::uint32_t)};
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec&) const override {
    return std::make_unique<Launches>(params.integer("size"), params.integer("launches"));
  }
};
const FamilyRegistrar<LaunchFamily> registrar;

}  // namespace
}  // namespace apod::launch
