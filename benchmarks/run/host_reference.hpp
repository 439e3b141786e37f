#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/files/launch.hpp"

namespace apod::run {

/// The text of a program that calls the function of a reference in C++,
/// ReferenceSpec::launch.kernel, with the arguments of a case, scratch memory left out: it reads
/// the problem's input from the file that it is given first, and writes the output to the second.
std::string host_program(const file::KernelSpec& spec, const file::Layout& layout);

/// The output of the function for `input`: compiled by $CXX or c++, and run in a process of its
/// own. Throws std::runtime_error with the messages of the compiler or the program.
std::vector<std::byte> host_reference(const file::KernelSpec& spec, const file::Layout& layout,
                                      std::span<const std::byte> input,
                                      const std::function<bool()>& cancelled);

}  // namespace apod::run
