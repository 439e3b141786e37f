#pragma once

/// \file
/// The memory that a launch may see: found from the pointers in its arguments, and written to the
/// files of a capture.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernels/api/captured_launch.hpp"
#include "kernels/backends/cuda/injected/capture_driver.hpp"

namespace apod::cuda {

/// Finds allocations by pointers into them.
class ReachedMemory {
 public:
  explicit ReachedMemory(const CaptureDriver& driver) : driver_(driver) {
    (void)driver_.device(&here_);
  }

  /// Looks at every word of an argument. Those at multiples of 8 bytes are where pointers lie.
  void look_at(const std::byte* argument, std::size_t bytes);
  /// Looks for a table of pointers in memory of the device, in the first 64 KiB.
  void look_in(std::uint64_t address, std::size_t bytes);
  /// Looks for such tables where the pointers found so far point to.
  void follow();
  /// What is kept of it: all allocations where they have `most` bytes at most, else windows from
  /// each pointer on into those that are too large. Arguments come before what was found by
  /// looking, and each gets 2 MiB at least while there is room. `notes` says what is left out.
  std::vector<capture::Window> windows(std::uint64_t most, std::vector<std::string>& notes) const;

 private:
  enum class Pointer { given, found };
  struct Allocation {
    std::uint64_t bytes = 0;
    capture::Place place = capture::Place::device;
    bool elsewhere = false;         ///< on another GPU
    std::set<std::uint64_t> given;  ///< pointers that are arguments
    std::set<std::uint64_t> found;  ///< words that may be pointers
  };
  bool add(std::uint64_t value, Pointer as);
  /// Windows of `room` bytes at most, by address; they don't overlap.
  static std::vector<capture::Window> parts_of(std::uint64_t base, const Allocation& allocation,
                                               std::uint64_t room);

  const CaptureDriver& driver_;
  CUdevice here_ = 0;
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
