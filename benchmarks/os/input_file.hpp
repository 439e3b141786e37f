#pragma once

#include <string>

namespace apod::os {

/// Why the file at `path` can't be read whatever it should hold: it is not there, a folder, empty
/// and so on. Empty where it can. `what` it should be: "an export of nsys".
std::string input_problem(const std::string& path, const std::string& what);

}  // namespace apod::os
