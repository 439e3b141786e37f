#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/base/plan.hpp"
#include "kernels/api/registry.hpp"
#include "kernels/files/sketch.hpp"

namespace apod::run {

/// What came of compiling the kernels of one case.
struct CompileOutcome {
  std::string case_id;
  std::string code;                ///< equal for cases of one kernel that differ in the block alone
  std::string failed;              ///< the compiler's messages, or why it can't be launched
  bool compiled = false;           ///< though it may not be launched as the file says
  bool met_limit = false;          ///< of what is bounded
  std::vector<std::string> lines;  ///< about each kernel
};

/// Processor time of all bounded compilations of this program together, s.
constexpr int most_bounded_s = 8;

/// A compilation that took more than it may.
struct CompileLimit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct CompiledPlan {
  std::vector<CompileOutcome> outcomes;
  std::size_t left = 0;  ///< kernels for which no processor time was left
  std::string why_not;   ///< nothing could be compiled
};

/// Compiles the kernels of all cases that have some, each code once, in a worker process that may
/// be lost. Needs no device: without one, code is made for a usual one. Stops if `cancelled`
/// returns true.
CompiledPlan compile_kernels(const Plan& plan, const Registry& registry, int device,
                             const std::function<bool()>& cancelled);

/// Compiles them ahead of their measurement, in several processes at once, if there are `least`
/// different codes or more: the code is kept on the disk. A kernel that can't be compiled is
/// reported when it is measured. `gives_way`: others are measured meanwhile, so compilers have the
/// lowest priority, and one processor is left free. Calls `cancelled` from one thread at a time.
void compile_ahead(const Plan& plan, const Registry& registry, int device, std::size_t least,
                   const std::function<bool()>& cancelled, bool gives_way = false);

/// Limits what compiling in this process, or in its children, may take from now on.
void limit_compiling(bool is_bounded);

/// The arguments of a file's kernels, found in such a worker. Throws std::runtime_error with the
/// compiler's messages, or with what happened to the worker, and CompileLimit.
std::vector<file::KernelSketch> sketch_kernels(const file::KernelSpec& spec);

}  // namespace apod::run
