#include <cstring>

#include "kernels/api/chunk.hpp"
#include "kernels/api/registry.hpp"
#include "kernels/data/data.hpp"

namespace apod::peer {
namespace {

/// out = in, bit for bit, where the values come from the memory of another GPU.
class FromPeer : public Problem {
 public:
  explicit FromPeer(std::shared_ptr<const Floats> values) : values_(std::move(values)) {}

  std::span<const std::byte> input() const override { return std::as_bytes(std::span(*values_)); }
  Chunk chunk(std::int64_t index, std::int64_t count) const override {
    return split_map(static_cast<std::int64_t>(values_->size()), index, count);
  }
  std::size_t output_bytes(std::int64_t) const override { return input().size(); }
  Verification verify(std::span<const std::byte> output, std::int64_t) const override {
    Verification check;
    check.measure = "differing values";
    const auto wanted = input();
    for (std::size_t i = 0; i < wanted.size(); i += sizeof(float)) {
      if (std::memcmp(output.data() + i, wanted.data() + i, sizeof(float)) == 0) continue;
      if (check.error == 0)
        check.detail = "value " + std::to_string(i / sizeof(float)) + " differs";
      check.error += 1;
    }
    check.passed = check.error == 0;
    return check;
  }

 private:
  std::shared_ptr<const Floats> values_;
};

class PeerFamily : public Family {
 public:
  std::string_view name() const override { return "peer"; }
  std::string_view summary() const override {
    return "copies an array over the link between two GPUs, in one or both directions; measures "
           "the ceiling of collectives";
  }
  std::vector<AxisSpec> axes() const override {
    constexpr std::int64_t last_index = 1023;
    auto other = count_axis("peer", "index of the other GPU", 1, last_index);
    other.min = 0;
    return {count_axis("size", "4-byte values to copy, each way", std::int64_t{1} << 24),
            std::move(other),
            choice_axis("direction", "from the other GPU, or both ways at the same time",
                        {"one_way", "both_ways"})};
  }
  Footprint footprint(const Params& params) const override {
    const auto bytes = static_cast<std::uint64_t>(params.integer("size")) * sizeof(float);
    return {bytes, bytes};
  }
  Traffic traffic(const Params& params) const override {
    const auto bytes = static_cast<double>(params.integer("size")) * sizeof(float);
    const auto* direction = params.find("direction");
    const bool both = direction != nullptr && to_string(*direction) == "both_ways";
    return {.bytes_read = both ? bytes : 0, .bytes_written = bytes, .bytes_linked = bytes};
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    return std::make_unique<FromPeer>(make_vector(data, params.integer("size")));
  }
};
const FamilyRegistrar<PeerFamily> registrar;

}  // namespace
}  // namespace apod::peer
