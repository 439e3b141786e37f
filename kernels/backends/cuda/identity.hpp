#pragma once

/// \file
/// The identity of a device. Plain C++, so that it is tested without a GPU.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace apod::cuda {

/// Whether a device of this name is a MIG instance: "NVIDIA H200 MIG 1g.18gb".
inline bool is_instance(std::string_view name) {
  return name.find(" MIG ") != std::string_view::npos;
}

/// The 16 bytes in hexadecimal, grouped 4-2-2-2-6 as NVML writes them, after "GPU-", or "MIG-" for
/// an instance.
inline std::string uuid_text(const std::array<unsigned char, 16>& bytes, bool instance) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = instance ? "MIG-" : "GPU-";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

}  // namespace apod::cuda
