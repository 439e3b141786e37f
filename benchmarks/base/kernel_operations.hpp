#pragma once

/// \file
/// Which operation each kernel of a trace belongs to, and how much of its work it did.

#include <unordered_map>
#include <vector>

#include "kernels/api/activity.hpp"
#include "kernels/api/operation.hpp"

namespace apod {

/// A kernel belongs to the innermost operation that was open in the thread that launched it.
class KernelOperations {
 public:
  /// Keeps pointers to the activities of `trace`.
  explicit KernelOperations(const Trace& trace);

  /// The operation of a kernel of the trace, with the FLOPs and bytes of this launch; null if none
  /// is known. An operation's work belongs to its longest kernel, shared among the launches with
  /// the same name and grid. Its other kernels (a change of layout, a fill) have none, so that sums
  /// over the kernels are right. Equal operations have one address, and addresses are in the order
  /// in which operations first appear.
  const Operation* of(const Activity& kernel) const;

 private:
  std::vector<Operation> distinct_;
  std::unordered_map<const Activity*, std::size_t> places_;  ///< in `distinct_`
};

}  // namespace apod
