#pragma once

#include <cstdint>
#include <vector>

#include "kernels/api/activity.hpp"

namespace apod::trace {

/// The devices that did something: first the one whose operations took longest together.
std::vector<std::uint32_t> devices_of(const Trace& trace);

/// What `device` did, with all that the host did but the calls that gave work to another device.
Trace on_device(Trace trace, std::uint32_t device);

}  // namespace apod::trace
