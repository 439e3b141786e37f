#include <cstring>

#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"

namespace apod::peer {
namespace {

/// The host has one memory, which is its own peer.
struct Host : Variant {
  void compute(const Task& task) const override {
    host::enqueue(
        task.stream,
        [to = task.output, from = task.input, bytes = task.chunk.output_bytes] {
          std::memcpy(to, from, bytes);
        },
        "copy");
  }
};
const VariantRegistrar<Host> registrar("peer", "host", BackendKind::host, "memcpy, one way");

}  // namespace
}  // namespace apod::peer
