#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "kernels/api/chunk.hpp"
#include "kernels/api/registry.hpp"
#include "kernels/data/data.hpp"

namespace apod::copy {
namespace {

/// out = in, bit for bit: the reference for everything that is bound by memory.
class Copy : public Problem {
 public:
  explicit Copy(std::shared_ptr<const Floats> values) : values_(std::move(values)) {}

  std::span<const std::byte> input() const override { return std::as_bytes(std::span(*values_)); }
  Chunk chunk(std::int64_t index, std::int64_t count) const override {
    return split_map(static_cast<std::int64_t>(values_->size()), index, count);
  }
  std::size_t output_bytes(std::int64_t) const override { return values_->size() * sizeof(float); }
  Verification verify(std::span<const std::byte> output, std::int64_t) const override {
    Verification check;
    check.measure = "differing values";
    const auto wanted = input();
    std::atomic<bool> differ = false;
    parallel_for(static_cast<std::int64_t>(wanted.size()),
                 [&](std::int64_t begin, std::int64_t end) {
                   const auto bytes = static_cast<std::size_t>(end - begin);
                   if (std::memcmp(output.data() + begin, wanted.data() + begin, bytes) != 0)
                     differ = true;
                 });
    if (!differ) {
      check.passed = true;
      return check;
    }
    std::size_t first = wanted.size();
    for (std::size_t i = 0; i < wanted.size(); i += sizeof(float)) {
      if (std::memcmp(output.data() + i, wanted.data() + i, sizeof(float)) == 0) continue;
      first = std::min(first, i / sizeof(float));
      check.error += 1;
    }
    std::array<char, 120> text{};
    std::snprintf(text.data(), text.size(), "%.0f of %zu values differ, the first at index %zu",
                  check.error, values_->size(), first);
    check.detail = text.data();
    return check;
  }

 private:
  std::shared_ptr<const Floats> values_;
};

class CopyFamily : public Family {
 public:
  std::string_view name() const override { return "copy"; }
  std::string_view summary() const override { return "copy of an fp32 array on the device"; }
  std::vector<AxisSpec> axes() const override {
    return {count_axis("size", "elements", std::int64_t{1} << 24)};
  }
  Footprint footprint(const Params& params) const override {
    const auto bytes = static_cast<std::uint64_t>(params.integer("size")) * sizeof(float);
    return {bytes, bytes};
  }
  Traffic traffic(const Params& params) const override {
    const auto bytes = static_cast<double>(params.integer("size")) * sizeof(float);
    return {.bytes_read = bytes, .bytes_written = bytes};
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    return std::make_unique<Copy>(make_vector(data, params.integer("size")));
  }
};
const FamilyRegistrar<CopyFamily> registrar;

}  // namespace
}  // namespace apod::copy
