#pragma once

/// \file
/// The configuration of a launch: grid, block, shared memory, attributes.

#include <cuda.h>

#include <array>

#include "kernels/files/launch.hpp"

namespace apod::cuda {

/// Holds the attributes that `config` points to, so it can't be copied.
struct LaunchConfig {
  LaunchConfig(const file::Launch& launch, CUstream stream) {
    config.gridDimX = launch.grid[0];
    config.gridDimY = launch.grid[1];
    config.gridDimZ = launch.grid[2];
    config.blockDimX = launch.block[0];
    config.blockDimY = launch.block[1];
    config.blockDimZ = launch.block[2];
    config.sharedMemBytes = launch.shared_bytes;
    config.hStream = stream;
    config.attrs = attributes.data();
    if (launch.cooperative) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
    if (launch.cluster[0] > 0) {
      auto& value = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
      value.clusterDim.x = launch.cluster[0];
      value.clusterDim.y = launch.cluster[1];
      value.clusterDim.z = launch.cluster[2];
    }
  }
  LaunchConfig(const LaunchConfig&) = delete;
  LaunchConfig& operator=(const LaunchConfig&) = delete;

  CUlaunchAttributeValue& add(CUlaunchAttributeID id) {
    auto& attribute = attributes[config.numAttrs++];
    attribute.id = id;
    return attribute.value;
  }

  std::array<CUlaunchAttribute, 2> attributes{};
  CUlaunchConfig config{};
};

}  // namespace apod::cuda
