#include "kernels/backends/host/stream.hpp"
#include "kernels/data/map_family.hpp"

const apod::MapRegistrar family("cube", "x^3 of an fp32 array",
                                {.value = [](double x) { return x * x * x; }, .flops = 2});

struct Loop : apod::MapVariant {
  void map(const float* x, float* y, std::size_t n, apod::Stream& stream) const override {
    apod::host::enqueue(stream, [=] {
      for (std::size_t i = 0; i < n; ++i) y[i] = x[i] * x[i] * x[i];
    });
  }
};
const apod::VariantRegistrar<Loop> loop("cube", "loop", apod::BackendKind::host, "a plain loop");
