#pragma once

/// \file
/// What the numbers that a kernel takes usually are, by their names.

#include <cstdint>
#include <optional>
#include <string>

namespace apod::cli {

std::string lower(const std::string& name);
/// Of an integer; nothing for a size. The name is in lower case.
std::optional<std::int64_t> usual_value(const std::string& name);
/// Of a real number.
double usual_real(const std::string& name);

}  // namespace apod::cli
