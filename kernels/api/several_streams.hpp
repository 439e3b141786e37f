#pragma once

#include "kernels/api/params.hpp"

namespace apod {

/// A Variant whose `compute` may enqueue work on streams of its own beside task.stream.
class SeveralStreams {
 public:
  virtual ~SeveralStreams() = default;
  /// Whether it does with these parameters.
  virtual bool uses_several(const Params& params) const = 0;
};

}  // namespace apod
