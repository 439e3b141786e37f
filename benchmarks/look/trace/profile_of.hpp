#pragma once

#include <map>
#include <string>

#include "benchmarks/base/profile.hpp"
#include "benchmarks/base/recording.hpp"
#include "kernels/api/activity.hpp"

namespace apod::trace {

/// What the trace comes to. One entry for all launches of a kernel with one configuration (grid,
/// block, shared and local memory, registers), one for all copies or memsets with one name and
/// kinds of memory, one for all calls of a function, one for all ranges of a domain and name. What
/// ends before it starts took no time. In order of the total time, the longest first, then by name;
/// instructions and counters are left empty. `threads`: names for the lanes.
Profile profile_of(const Trace& trace, const ThreadNames& threads = {});

/// Every kernel that ran, by its demangled name, with the hash of its machine code as 16
/// hexadecimal digits; an empty text where the tracer has not seen the code. Kernels of one
/// demangled name (they stood in unnamed namespaces) share a hash, whatever their order. Empty when
/// no kernel's code was seen, as on the host.
std::map<std::string, std::string> kernel_code_of(const Trace& trace);

}  // namespace apod::trace
