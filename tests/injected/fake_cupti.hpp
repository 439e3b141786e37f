#pragma once

/// \file
/// What a test's program does on a device that there is not, as CUPTI would tell of it.

#include <cstddef>
#include <cstdint>

#include "tests/injected/fake_driver.hpp"

extern "C" {

/// A call of the runtime, one of the driver within it, and the kernel that they launch.
void fake_launch(const char* kernel);
/// A kernel whose record comes as complete only when it is forced.
void fake_unfinished_launch();
/// Time passes, by the clock of the records alone.
void fake_wait(std::uint64_t ns);
void fake_push(const char* range);
void fake_pop();
/// A range of the domain "NCCL" that begins with these attributes, nvtxEventAttributes_t.
void fake_push_in(const void* domain, const void* attributes);
/// Kernels run on this device from now on.
void fake_device(unsigned device);
void fake_name_thread(const char* name);
/// Loads code: the subscriber is told of it.
void fake_load(const char* code, std::size_t bytes);
/// A launch through the driver, as the subscriber hears of it, with its record.
void fake_kernel(FakeKernel& kernel, unsigned grid, void** parameters, bool as_buffer);
/// A copy to the device through the driver, as the subscriber hears of it.
void fake_copy();
/// Another stream begins to be captured into a graph, or ends.
void fake_stream_capture(bool begins);
}
