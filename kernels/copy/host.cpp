#include <cstring>

#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"

namespace apod::copy {
namespace {

struct Host : Variant {
  void compute(const Task& task) const override {
    host::enqueue(
        task.stream,
        [out = task.output, in = task.input, bytes = task.chunk.output_bytes] {
          std::memcpy(out, in, bytes);
        },
        "memcpy");
  }
};
const VariantRegistrar<Host> registrar("copy", "host", BackendKind::host, "std::memcpy");

}  // namespace
}  // namespace apod::copy
