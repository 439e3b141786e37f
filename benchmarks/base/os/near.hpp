#pragma once

/// \file
/// Processors and memory near a PCI device: a GPU is reached faster from those.

#include <optional>
#include <string>

namespace apod::os {

struct Place {
  std::string processors;  ///< as the kernel lists them, "0-31,64-95"
  int node = -1;           ///< of the memory; -1: the kernel names none

  /// "processors 0-31, node 0".
  std::string text() const;
};

/// Where the device at `pci`, such as "0000:18:00.0", is near, by the kernel's tables; nothing if
/// they don't say.
std::optional<Place> place_near(const std::string& pci,
                                const std::string& tables = "/sys/bus/pci/devices");

/// From here on this thread, and those that it starts, stay on the processors of `place` that they
/// may use, and take memory of its node while there is some. Returns where they stay; nothing, with
/// no change, if they may use none of them or the system refuses. A memory policy that the user has
/// set (numactl) is kept.
std::optional<Place> pin_to(const Place& place);

}  // namespace apod::os
