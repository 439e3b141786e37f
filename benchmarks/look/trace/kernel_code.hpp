#pragma once

#include <map>
#include <string>

#include "kernels/api/activity.hpp"

namespace apod::trace {

/// Every kernel that ran, by its demangled name, with the hash of its machine code as 16
/// hexadecimal digits; an empty text where the tracer has not seen the code. Kernels of one
/// demangled name (they stood in unnamed namespaces) share a hash, whatever their order. Empty when
/// no kernel's code was seen, as on the host.
std::map<std::string, std::string> kernel_code_of(const Trace& trace);

}  // namespace apod::trace
