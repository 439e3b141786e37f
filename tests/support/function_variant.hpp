#pragma once

/// \file
/// Workloads of the tests: variants that are one function each, and a problem for them.

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/api/chunk.hpp"
#include "kernels/api/registry.hpp"
#include "kernels/data/array.hpp"

namespace apod::test {

using Compute = void (*)(const Task&);

class FunctionVariant : public Variant {
 public:
  /// `waiting`: compute returns when the device is done. `scratch`: as much as the input.
  explicit FunctionVariant(Compute function, bool waiting = false, bool scratch = false)
      : compute_(function), waits_(waiting), has_scratch_(scratch) {}
  void compute(const Task& task) const override { compute_(task); }
  bool waits(const Params&) const override { return waits_; }
  std::size_t most_scratch_bytes(const Params& params) const override {
    return has_scratch_ ? static_cast<std::size_t>(params.integer("size")) * sizeof(float) : 0;
  }

 private:
  Compute compute_;
  bool waits_;
  bool has_scratch_;
};

struct FunctionRegistrar {
  FunctionRegistrar(std::string family, std::string name, BackendKind backend, std::string summary,
                    FunctionVariant variant) {
    Registry::instance().add({std::move(family), std::move(name), backend, std::move(summary),
                              [variant] { return std::make_unique<FunctionVariant>(variant); }});
  }
};

/// Floats that have to come out as they went in.
class SameValues : public Problem {
 public:
  explicit SameValues(std::shared_ptr<const Floats> values) : values_(std::move(values)) {}
  std::span<const std::byte> input() const override { return std::as_bytes(std::span(*values_)); }
  Chunk chunk(std::int64_t index, std::int64_t count) const override {
    return split_map(static_cast<std::int64_t>(values_->size()), index, count);
  }
  std::size_t output_bytes(std::int64_t) const override { return input().size(); }
  Verification verify(std::span<const std::byte> output, std::int64_t) const override {
    const bool same = std::memcmp(output.data(), values_->data(), output.size()) == 0;
    return {same, same ? 0.0 : 1.0, 0, "differing bytes", same ? "" : "not what went in"};
  }

 private:
  std::shared_ptr<const Floats> values_;
};

}  // namespace apod::test
