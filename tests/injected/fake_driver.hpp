#pragma once

/// \file
/// A driver whose device memory is the host's: as much of libcuda as the capture of a launch asks
/// for.

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// What the fake knows as a CUfunction.
struct FakeKernel {
  std::string name;
  std::vector<std::size_t> sizes;              ///< of its parameters
  std::function<void(void** parameters)> run;  ///< on the host
};

/// Zeroed memory that a pointer attribute knows. `type`: as of CU_POINTER_ATTRIBUTE_MEMORY_TYPE.
void* fake_allocate(std::size_t bytes, unsigned type = CU_MEMORYTYPE_DEVICE, bool managed = false);
/// An allocation that is said to be larger than it is.
void* fake_huge(std::size_t bytes, std::size_t said);
/// Memory of another device.
void* fake_elsewhere(std::size_t bytes);
/// Until it ends, waiting for the device does not return.
void fake_busy(bool begins);
/// From now on launches go into a graph.
void fake_graph(bool begins);
