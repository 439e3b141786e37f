#include "tests/faults/slowed.hpp"

#include <cstring>
#include <vector>

#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"

namespace apod::faults {
namespace {

/// The result is the number of steps that were taken.
class Steps : public Problem {
 public:
  explicit Steps(std::int64_t steps) : steps_(steps) {}
  std::span<const std::byte> input() const override { return std::as_bytes(std::span(&steps_, 1)); }
  Chunk chunk(std::int64_t, std::int64_t) const override {
    Chunk chunk;
    chunk.input_bytes = chunk.output_bytes = sizeof(steps_);
    return chunk;
  }
  std::size_t output_bytes(std::int64_t) const override { return sizeof(steps_); }
  Verification verify(std::span<const std::byte> output, std::int64_t) const override {
    std::int64_t taken = 0;
    std::memcpy(&taken, output.data(), sizeof(taken));
    return {taken == steps_, taken == steps_ ? 0.0 : 1.0, 0, "steps missed",
            taken == steps_ ? "" : "another number of steps"};
  }

 private:
  std::int64_t steps_;
};

class Slowed : public Family {
 public:
  std::string_view name() const override { return "slowed"; }
  std::string_view summary() const override { return "spins for a known time"; }
  std::vector<AxisSpec> axes() const override {
    return {{.name = "length",
             .help = "steps",
             .default_value = std::int64_t{100'000},
             .max = std::int64_t{1} << 32},
            {.name = "slowdown",
             .help = "thousandths more",
             .default_value = std::int64_t{0},
             .min = 0,
             .max = 10'000}};
  }
  Footprint footprint(const Params&) const override {
    return {sizeof(std::int64_t), sizeof(std::int64_t)};
  }
  Traffic traffic(const Params&) const override { return {.bytes_read = sizeof(std::int64_t)}; }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec&) const override {
    return std::make_unique<Steps>(spin_steps(params));
  }
};
const FamilyRegistrar<Slowed> slowed_family;

struct HostSpin : Variant {
  void compute(const Task& task) const override {
    host::enqueue(task.stream, [out = task.output, steps = spin_steps(task.params)] {
      volatile std::int64_t taken = 0;
      while (taken < steps) taken = taken + 1;
      const std::int64_t result = taken;
      std::memcpy(out, &result, sizeof(result));
    });
  }
};
const VariantRegistrar<HostSpin> spin("slowed", "spin_host", BackendKind::host, "counts");

}  // namespace
}  // namespace apod::faults
