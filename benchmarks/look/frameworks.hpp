#pragma once

#include <cstdint>
#include <string_view>

#include "benchmarks/base/recording.hpp"

namespace apod::look {

/// What a program is written in, which decides how advice is worded. `cuda`: nothing else is known.
enum class Framework : std::uint8_t { cuda, pytorch, jax, tensorflow, cupy, numba };

/// By the names of kernels, threads and ranges.
Framework framework_of(const Recording& recording);

/// What is done about a cause, a sentence each in the words of the framework.
struct Advice {
  std::string_view no_call = {};
  std::string_view loader = {};  ///< instead, if each step takes new data to the device
  std::string_view small_kernels = {};
  std::string_view optimizer = {};  ///< of small kernels behind the backward pass
  std::string_view pin = {};     ///< of copies with pageable memory, before what is done about all
  std::string_view copies = {};  ///< about all between host and device
  std::string_view keep = "keep data on the device if the host does not change it";
  std::string_view communication = {};
  std::string_view gradients = {};  ///< instead, if there is a backward pass
  /// Instead, of many small messages.
  std::string_view combining =
      "send many small messages as one: in one buffer, or between ncclGroupStart and ncclGroupEnd";
  std::string_view memory = {};
  std::string_view loading = {};
  std::string_view recompiling = "keep shapes constant, so that the code compiles once";
  std::string_view waiting = {};
  std::string_view exchanging =
      "copy from device to device (cudaMemcpyPeerAsync, or NCCL's send and receive), not through "
      "the host";
  std::string_view concatenating =
      "write each part into memory that is allocated once: a concatenation copies all of its "
      "inputs";
  std::string_view layout = "keep layouts and types the same, so that no copy is needed";
  std::string_view doubles =
      "if single precision suffices: use float variables, 1.0f for 1.0, sqrtf for sqrt";
  std::string_view fuse = {};  ///< of elementwise kernels that are the limit
};
const Advice& advice_for(Framework framework);

}  // namespace apod::look
