#pragma once

/// \file
/// The memory that a launch may see: found from the pointers in its arguments, and written to the
/// files of a capture.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/api/captured_launch.hpp"
#include "kernels/backends/cuda/injected/capture_driver.hpp"

namespace apod::cuda {

/// Finds allocations by pointers into them.
class ReachedMemory {
 public:
  explicit ReachedMemory(const CaptureDriver& driver) : driver_(driver) {}

  /// Looks at every aligned word of an argument. `aligned`: the step, 8 or 4 bytes.
  void look_at(const std::byte* argument, std::size_t bytes);
  /// Looks for tables of pointers where the pointers found so far point to.
  void follow();
  /// What is kept of it: all allocations where they have `most` bytes at most, else windows from
  /// each pointer on into those that are too large. `notes` says what is left out.
  std::vector<capture::Window> windows(std::uint64_t most, std::vector<std::string>& notes) const;

 private:
  struct Allocation {
    std::uint64_t bytes = 0;
    capture::Place place = capture::Place::device;
    std::vector<std::uint64_t> pointers;
  };
  bool add(std::uint64_t value);

  const CaptureDriver& driver_;
  std::map<std::uint64_t, Allocation> allocations_;  ///< by address
};

/// Writes before.bin and changes.bin. Zeros become holes. Functions return an error's text, empty
/// if all is well.
class StateWriter {
 public:
  StateWriter(const CaptureDriver& driver, std::string folder)
      : driver_(driver), folder_(std::move(folder)) {}
  /// `variables`: the address of each.
  std::string write_before(const capture::CapturedLaunch& launch,
                           const std::vector<CUdeviceptr>& variables);
  std::string write_changes(const capture::CapturedLaunch& launch,
                            const std::vector<CUdeviceptr>& variables);

 private:
  std::string write(const capture::CapturedLaunch& launch,
                    const std::vector<CUdeviceptr>& variables, bool changes);
  std::string read(void* to, std::uint64_t address, std::size_t bytes, capture::Place place) const;

  const CaptureDriver& driver_;
  std::string folder_;
};

/// Writes a new file; an error's text, empty if all is well.
std::string write_file(const std::string& path, const void* bytes, std::size_t count);

}  // namespace apod::cuda
