#pragma once

#include <cstddef>
#include <string>

namespace apod::os {

/// Why the file at `path` can't be read whatever it should hold: it is not there, a folder, empty
/// and so on. Empty where it can. `what` it should be: "an export of nsys".
std::string input_problem(const std::string& path, const std::string& what);

/// The bytes of the file at `path`. Throws std::runtime_error, without its name, where it can't be
/// read or has more than `most_bytes`, as a device that never ends has.
std::string read_file(const std::string& path, std::size_t most_bytes);

}  // namespace apod::os
