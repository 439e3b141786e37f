#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/transfer/problem.hpp"

namespace apod::transfer {
namespace {

struct Host : Variant {
  void compute(const Task& task) const override {
    const auto* in = task.in().data();
    auto* out = task.out().data();
    const auto from = task.in().size();
    const auto to = task.out().size();
    if (task.params.choice_or("direction", Direction::upload) == Direction::upload) {
      host::enqueue(
          task.stream,
          [=] {
            for (std::size_t i = 0; i < to; ++i) out[i] = from == 0 ? 0 : in[position(i, from)];
          },
          "choose");
    } else {
      host::enqueue(
          task.stream,
          [=] {
            for (std::size_t i = 0; i < to; ++i) out[i] = in[i % tile];
          },
          "repeat");
    }
  }
};
const VariantRegistrar<Host> registrar("transfer", "host", BackendKind::host,
                                       "almost no work besides the copies");

}  // namespace
}  // namespace apod::transfer
