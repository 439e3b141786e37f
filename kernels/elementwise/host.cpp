#include <array>
#include <memory>
#include <vector>

#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/elementwise/problem.hpp"

namespace apod::elementwise {
namespace {

/// What the stream's thread keeps from one pair to the next, until it ends.
float* in_pool(std::size_t which, std::size_t size) {
  static thread_local std::array<std::vector<float>, temporaries> pool;
  auto& block = pool[which];
  if (block.size() < size) block.resize(size);
  return block.data();
}

/// Temporary `which` of a pair, given back at the end of its scope.
class Temporary {
 public:
  Temporary(Allocator allocator, void* arena, std::size_t which, std::size_t size) {
    switch (allocator) {
      case Allocator::malloc:
        owned_ = std::make_unique_for_overwrite<float[]>(size);
        values_ = owned_.get();
        break;
      case Allocator::pool:
        values_ = in_pool(which, size);
        break;
      case Allocator::arena:
        values_ = in_arena(arena, which, size);
        break;
    }
  }
  float* values() const { return values_; }

 private:
  std::unique_ptr<float[]> owned_;
  float* values_ = nullptr;
};

void subtract(const float* x, const float* y, float* out, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out[i] = x[i] - y[i];
}

void multiply(const float* a, const float* b, float* out, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out[i] = a[i] * b[i];
}

void square_unfused(const Part& part, Allocator allocator, void* arena) {
  for (std::size_t pair = 0; pair < part.pairs; ++pair) {
    const float* x = part.in + pair * part.size;
    const float* y = x + part.size;
    const Temporary left(allocator, arena, 0, part.size);
    subtract(x, y, left.values(), part.size);
    const Temporary right(allocator, arena, 1, part.size);
    subtract(x, y, right.values(), part.size);
    multiply(left.values(), right.values(), part.out + pair * part.size, part.size);
  }
}

/// The tutorial's expression as NumPy evaluates it, one operation after the other.
struct Host : Variant {
  std::size_t most_scratch_bytes(const Params& params) const override {
    return arena_bytes(params);
  }
  void compute(const Task& task) const override {
    host::enqueue(
        task.stream,
        [part = part(task), allocator = allocator_of(task.params), arena = task.scratch] {
          square_unfused(part, allocator, arena);
        },
        "square_unfused");
  }
};
const VariantRegistrar<Host> registrar(
    "elementwise", "host", BackendKind::host,
    "two differences, then their product; one thread per stream");

}  // namespace
}  // namespace apod::elementwise
