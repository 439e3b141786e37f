#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/api/captured_launch.hpp"
#include "kernels/data/element.hpp"

namespace apod::file {

/// The variant that is the captured kernel itself. Other variants are files with a kernel in its
/// place.
inline constexpr const char* captured_variant = "captured";

/// What an experiment says about a captured launch.
struct CapturedSpec {
  /// An argument of a kernel in its place: the bytes of a parameter of the captured one from
  /// `offset` on, as many as the kernel takes.
  struct Argument {
    std::string name;
    std::size_t parameter = 0;
    std::size_t offset = 0;
  };
  std::string folder;  ///< below the experiment's, or empty
  capture::CapturedLaunch launch{};
  std::vector<Argument> args{};       ///< empty: the captured parameters
  std::optional<ElementType> type{};  ///< of what the kernel writes; none: bytes are compared
};

}  // namespace apod::file
