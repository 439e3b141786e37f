#pragma once

#include <string>

namespace apod {

/// "void scale<2>(float*)" as "void scale<2>": parameters are long and say little.
std::string without_parameters(const std::string& kernel);

}  // namespace apod
