#pragma once

/// \file
/// What a cubin says of its kernels and variables, read from the file itself: no device is needed.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace apod::cuda {

struct CubinContent {
  struct Kernel {
    int registers = 0;                      ///< a thread; 0: not known
    std::uint64_t most_threads = 0;         ///< in a block, by __launch_bounds__; 0: it says none
    std::vector<std::size_t> block{};       ///< the only one that it runs in; empty: it says none
    std::vector<std::size_t> parameters{};  ///< bytes of each, in turn; empty: none, or not known
  };
  std::map<std::string, Kernel> kernels;  ///< by mangled name
  /// Bytes of the __constant__ and __device__ ones, by mangled name; none that the compiler made.
  std::map<std::string, std::size_t> variables;
};

/// Empty if the bytes are not a cubin. Reads nothing outside of the bytes, whatever they are.
CubinContent content_of_cubin(std::span<const std::byte> cubin);

}  // namespace apod::cuda
