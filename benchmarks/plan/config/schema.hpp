#pragma once

#include <string>

#include "kernels/api/registry.hpp"

namespace apod::config {

/// JSON Schema (draft 7) of experiment files, from the tables that the reader refuses keys by and
/// from the registry's workloads and axes. Every file that the reader takes is valid by it; what
/// only values can tell, such as a baseline that no case meets, is left to the reader.
std::string experiment_schema(const Registry& registry);

}  // namespace apod::config
