#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/data/element.hpp"

namespace apod::file {

/// A kernel's signature, from its compiled code.
struct KernelSketch {
  struct Parameter {
    std::string text;  ///< "float const*", or "8 bytes"
    bool is_pointer = false;
    bool is_const = false;            ///< of a pointer: whether it points to const
    std::optional<ElementType> type;  ///< nothing: one that has no name here
    int count = 1;                    ///< of a vector such as float4: its values
  };
  std::string name;  ///< "conv"; templates are left out
  std::vector<Parameter> parameters;
  std::vector<std::size_t> sizes{};  ///< bytes of each parameter; 0: not known
  std::vector<std::size_t> block{};  ///< the only one that it runs in; empty: any
  std::vector<std::size_t> most{};   ///< the largest block, by its sides or all of them; empty: any
  bool has_types = true;             ///< false: those of the parameters are guesses
};

}  // namespace apod::file
