#pragma once

/// \file
/// The files of a program near its kernel file: folders of headers, and host code that calls it.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/files/source/program.hpp"

namespace apod::cli {

/// A header that the compiler's message misses, and what is near the file.
struct MissingHeader {
  std::string name{};                  ///< empty: it misses none
  std::vector<std::string> folders{};  ///< one that a makefile names, else all that are nearest
  std::string passed_over{};           ///< why a file of this name does not count
};
/// Its folders are as seen from the file's.
MissingHeader missing_header(const std::string& said, const std::string& file);

/// The first header that these sources include as "header.h", that is not one of them, and that one
/// folder near the file has. Each is looked for once.
MissingHeader unread_header(const std::vector<std::pair<std::string, std::string>>& sources,
                            const std::string& file, std::set<std::string>& looked);

/// The flag of the compiler that its message asks for; empty if it asks for none, or has it.
std::string missing_flag(const std::string& said, const std::vector<std::string>& flags);

/// The one .cu file beside this one that has the device's function which the compiler's message
/// misses; empty if there is none, or if there are several.
std::string file_of_missing_function(const std::string& said, const std::string& file);

/// The .cu files near this one that define one of the kernels, or of the functions if they have
/// launches, too: all that are as near.
std::vector<std::string> files_with(const std::vector<std::string>& functions, bool are_kernels,
                                    const std::string& file);

/// Lines for the end of the compiler's message: what the file needs so that it compiles.
std::string advice(const std::string& said, const std::string& file, const MissingHeader& missing);

/// A C or C++ source or header, which is read and not compiled.
bool is_host_code(const std::string& file);

/// Adds the `named` files of host code, then the file with a main in the kernel file's folder that
/// calls its functions, or else one that launches its kernels, if it launches none itself. Returns
/// the names of what it added.
std::string read_callers(source::Program& program, const std::string& file,
                         std::vector<std::string> named = {});

/// "-DN=4" as a macro.
source::Macros macros_of(const std::vector<std::string>& flags);

}  // namespace apod::cli
