#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace apod {

/// "void scale<2>(float*)" as "void scale<2>": parameters are long and say little.
std::string without_parameters(const std::string& kernel);

/// "ns::reduce" of "void ns::reduce<256>(float*, int)": without result type, template arguments and
/// parameters. Anonymous namespaces are removed too.
std::string short_kernel_name(const std::string& name);

/// A grid or a block: {128, 1, 1} as "128", {16, 16, 1} as "16x16".
std::string shape(const std::array<std::uint32_t, 3>& sizes);

}  // namespace apod
