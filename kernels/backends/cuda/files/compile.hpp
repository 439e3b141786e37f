#pragma once

/// \file
/// From the kernels of a case to code that can be loaded, without a device.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "kernels/files/kernel_family.hpp"
#include "kernels/files/sketch.hpp"

namespace apod::cuda {

/// Launches of one file share its code, and so its __device__ variables.
struct CaseCode {
  struct Entry {
    std::size_t image = 0;  ///< into `images`
    std::string mangled;
    int registers = 0;  ///< a thread; 0: not known
  };
  std::vector<std::vector<std::byte>> images;
  std::vector<Entry> entries;        ///< of each launch
  std::vector<std::string> remarks;  ///< of the compiler
  std::string compiler;              ///< "nvcc 13.0"; empty: nothing was compiled here
  double compile_s = 0;              ///< that it took, now or when the code came into the cache
  /// "nvcc" or "nvrtc" with its version, and "compile_time"; empty: nothing was compiled here.
  std::map<std::string, double> facts() const;
};

/// A .cubin, .ptx or .fatbin, whole. Throws std::runtime_error if it is none or can't
/// be read.
std::vector<std::byte> read_code(const std::string& path);

/// Compiles, or takes from the cache, what `launches` need: .cu files for the capability, such as
/// "9.0" (empty: 9.0, or the latest that the compiler knows); others are read as they are. Throws
/// std::runtime_error: the compiler's messages, a kernel that is not there with names that are,
/// arguments that don't fit, more registers than a block may have.
CaseCode compile(const file::KernelSpec& spec, const std::vector<file::Launch>& launches,
                 const std::string& compute_capability);

/// The code of a case: its launches' and, last, its reference's if that is a kernel. One run of the
/// compiler makes both where they share a file.
CaseCode compile_case(const file::KernelFamily& family, const Params& params,
                      const std::string& compute_capability);

/// The `KernelFiles` of the registry, except for making variants, which needs the driver.
std::vector<std::string> compile_lines(const file::KernelFamily& family, const Params& params,
                                       const std::string& compute_capability);
std::vector<file::KernelSketch> sketch_kernels(const file::KernelSpec& spec);

}  // namespace apod::cuda
