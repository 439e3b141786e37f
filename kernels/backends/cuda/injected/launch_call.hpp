#pragma once

/// \file
/// A launch as a call of the driver describes it, whichever call makes it.

#include <cupti.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace apod::cuda {

struct LaunchCall {
  std::string name;  ///< mangled
  CUfunction function = nullptr;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t shared = 0;  ///< dynamic, bytes
  CUstream stream = nullptr;
  void** parameters = nullptr;
  void** extra = nullptr;
  std::array<std::uint32_t, 3> cluster{0, 0, 0};  ///< 0: none
  bool cooperative = false;
  std::int32_t carveout = -1;         ///< -1: not said
  std::vector<std::string> left_out;  ///< names of the attributes that a replay does not have

  /// `id`: one of launching_calls.
  LaunchCall(CUpti_CallbackId id, const CUpti_CallbackData& data);

  /// The bytes of an argument that lies at `offset` of the parameter buffer, or null.
  const std::byte* argument(std::size_t index, std::size_t offset) const;

 private:
  template <class Call, class Shape>
  void take(const Call& call, const Shape& shape);
  void take(const CUlaunchAttribute& attribute);
};

}  // namespace apod::cuda
