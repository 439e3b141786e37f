#pragma once

/// \file
/// The program's own files: itself, and the experiments that it ships.

#include <string>
#include <vector>

namespace apod::cli {

/// Where shipped configs are: `configs/` beside or above the executable, and in an installation
/// share/apodbench/configs. In the order in which they are searched.
std::vector<std::string> config_folders();
/// The file that `--config name` means: the path itself when it exists or has a folder in it, else
/// a shipped config of that name, with or without ".yaml".
std::string find_config(const std::string& name);

/// This program's own file, for starting it again.
std::string own_program();

/// The library that records programs, next to this program or installed with it; empty: none.
std::string inspect_library();
/// Throws std::runtime_error, which says what to do, if there is none.
std::string needed_inspect_library();

}  // namespace apod::cli
