/// bench with variants of sums and copies that follow 0 to 7 empty launches: bench_behind --config
/// tests/studies/behind.yaml; see docs/launch-phase.md.

#include <memory>
#include <string>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"

namespace apod {
namespace {

__global__ void do_nothing() {}

/// Another variant, behind launches_before launches.
class Behind : public Variant {
 public:
  explicit Behind(std::unique_ptr<Variant> inner) : inner_(std::move(inner)) {}
  void prepare(const Params& params, const DeviceFacts& device) override {
    inner_->prepare(params, device);
  }
  bool needs_restore() const override { return inner_->needs_restore(); }
  std::string_view compute_capability() const override { return inner_->compute_capability(); }
  bool executes_counted_work(const Params& params) const override {
    return inner_->executes_counted_work(params);
  }
  std::vector<AxisSpec> axes() const override {
    auto axes = inner_->axes();
    axes.push_back({.name = "launches_before",
                    .help = "empty launches before a sample",
                    .default_value = std::int64_t{0},
                    .min = 0,
                    .max = 7});
    return axes;
  }
  std::optional<std::string> rejects(const Params& params) const override {
    return inner_->rejects(params);
  }
  std::size_t most_scratch_bytes(const Params& params) const override {
    return inner_->most_scratch_bytes(params);
  }
  std::size_t scratch_bytes(const Problem& problem, const Params& params,
                            const Chunk& chunk) const override {
    return inner_->scratch_bytes(problem, params, chunk);
  }
  void restore(const Task& task) const override {
    inner_->restore(task);
    for (std::int64_t i = 0; i < task.params.integer_or("launches_before", 0); ++i) {
      do_nothing<<<1, 1, 0, cuda::native(task.stream)>>>();
      cuda::launched("do_nothing");
    }
  }
  void compute(const Task& task) const override { inner_->compute(task); }
  void finish(const Task& task) const override { inner_->finish(task); }
  bool waits(const Params& params) const override { return inner_->waits(params); }

 private:
  std::unique_ptr<Variant> inner_;
};

const bool registered = [] {
  const auto add = [](const std::string& family, const std::string& variant) {
    Registry::instance().add(
        {family, variant + "_behind", BackendKind::cuda, variant + " behind empty launches", [=] {
           return std::make_unique<Behind>(Registry::instance().variant(family, variant)->make());
         }});
  };
  for (const auto* sum : {"cub", "thrust", "warp_shuffle", "single_pass"}) add("reduction", sum);
  add("copy", "grid_stride");
  return true;
}();

}  // namespace
}  // namespace apod
