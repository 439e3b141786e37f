#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/data/element.hpp"

namespace apod::file {

/// What the compiled code tells of a kernel.
struct KernelSketch {
  struct Parameter {
    std::string text;  ///< "float const*"
    bool is_pointer = false;
    bool is_const = false;            ///< of a pointer: what it points to
    std::optional<ElementType> type;  ///< nothing: one that has no name here
  };
  std::string name;  ///< "conv"; templates are left out
  std::vector<Parameter> parameters;
  int registers = 0;  ///< a thread; 0: not known
};

}  // namespace apod::file
