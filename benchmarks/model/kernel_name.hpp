#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace apod {

/// "void scale<2>(float*)" as "void scale<2>": parameters are long and say little.
std::string without_parameters(const std::string& kernel);

/// A grid or a block: {128, 1, 1} as "128", {16, 16, 1} as "16x16".
std::string shape(const std::array<std::uint32_t, 3>& sizes);

}  // namespace apod
