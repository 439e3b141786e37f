#include <algorithm>

#include "kernels/api/map_family.hpp"
#include "kernels/backends/host/stream.hpp"

const apod::MapRegistrar family("cube", "x^3 of an fp32 array",
                                {.value = [](double x) { return x * x * x; }, .flops = 2});

struct Loop : apod::MapVariant {
  void map(const float* x, float* y, std::size_t n, apod::Stream& stream) const override {
    apod::host::enqueue(stream, [=] {
      for (std::size_t i = 0; i < n; ++i) y[i] = x[i] * x[i] * x[i];
    });
  }
};
/// The same in strips, whose length is an axis of this variant alone.
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
const apod::VariantRegistrar<Loop> loop("cube", "loop", apod::BackendKind::host, "a plain loop");
