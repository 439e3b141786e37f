#pragma once

#include <cstddef>
#include <string>

namespace apod::source {

/// Blanks the declaration at namespace scope that a line is a part of: a function, a class, a
/// variable. Lines stay where they are. False if there is none, or if it is marked as the device's.
bool blank_host_part(std::string& text, std::size_t line);

}  // namespace apod::source
