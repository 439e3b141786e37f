#pragma once

#include <cstddef>

#include "kernels/files/source/program.hpp"

namespace apod::source {

/// Adds the launches in a function's body, with the macros that launch expanded.
void read_launches(Program& program, std::size_t function);

}  // namespace apod::source
