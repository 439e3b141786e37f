#pragma once

/// \file
/// NVRTC, which is opened at run time: the compiler of kernels that come in files. It needs no
/// device and no driver.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace apod::cuda {

/// The source to compile.
struct Source {
  std::string name;                  ///< of the file, for messages
  std::string text;                  ///< of the file
  std::vector<std::string> options;  ///< includes and architecture among them
  std::vector<std::string> kernels;  ///< "conv<4>", as C++ would call them
};

struct Compiled {
  std::vector<std::byte> image;                ///< a cubin
  std::map<std::string, std::string> mangled;  ///< by the names of Source::kernels
  std::string ptx;                             ///< from which the cubin was made; may be empty
  std::string log;                             ///< warnings
};

/// Why there is none; empty if there is.
std::string nvrtc_missing();
/// "13.0".
std::string nvrtc_version();
/// The compute capabilities that it compiles for, such as 90 for 9.0, in rising order.
std::vector<int> nvrtc_architectures();
/// Throws std::runtime_error with the compiler's messages, each with its file and line.
Compiled nvrtc_compile(const Source& source);

}  // namespace apod::cuda
