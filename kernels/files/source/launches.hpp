#pragma once

#include <cstddef>

#include "kernels/files/source/program.hpp"

namespace apod::source {

/// Adds the launches in the body of a function, whose macros that launch become what they stand
/// for.
void read_launches(Program& program, std::size_t function);

}  // namespace apod::source
