#include <cstdint>

#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"

namespace apod::launch {
namespace {

struct Host : Variant {
  void restore(const Task& task) const override {
    for (std::int64_t i = 0; i < task.params.integer_or("launches_before", 0); ++i) {
      host::enqueue(
          task.stream, [] {}, "do_nothing");
    }
  }
  void compute(const Task& task) const override {
    auto* words = static_cast<std::uint32_t*>(task.output);
    const auto count = task.chunk.output_bytes / sizeof(std::uint32_t);
    if (count == 0) return;
    for (std::int64_t i = 0; i < task.params.integer_or("launches", 1); ++i) {
      host::enqueue(
          task.stream,
          [=] {
            for (std::size_t k = 0; k < count; ++k) words[k] = i == 0 ? 1 : words[k] + 1;
          },
          "add_one");
    }
  }
};
const VariantRegistrar<Host> registrar("launch", "host", BackendKind::host,
                                       "each launch is one task of the stream's thread");

}  // namespace
}  // namespace apod::launch
