#include <algorithm>

#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"

struct Strips : apod::Variant {
  std::vector<apod::AxisSpec> axes() const override {
    return {{.name = "strip", .help = "elements at a time", .default_value = std::int64_t{1024}}};
  }
  void compute(const apod::Task& task) const override {
    const auto* x = static_cast<const float*>(task.input);
    auto* y = static_cast<float*>(task.output);
    const std::size_t n = task.chunk.output_bytes / sizeof(float);
    const auto strip = static_cast<std::size_t>(task.params.integer_or("strip", 1024));
    apod::host::enqueue(task.stream, [=] {
      for (std::size_t begin = 0; begin < n; begin += strip) {
        const auto end = std::min(begin + strip, n);
        for (std::size_t i = begin; i < end; ++i) y[i] = x[i] * x[i] * x[i];
      }
    });
  }
};
const apod::VariantRegistrar<Strips> strips("cube", "strips", apod::BackendKind::host,
                                            "a loop over strips");
