#pragma once

/// \file
/// The machine code of the modules that this process loads, from CUPTI's callback.

#include <cupti.h>

#include <exception>
#include <span>

#include "kernels/backends/cuda/tracer/machine_code.hpp"

namespace apod::cuda {

/// Kept as long as the process: what one session saw loaded stays loaded for the next. Never
/// destroyed, because modules may be loaded until the very end.
inline MachineCode& machine_code() {
  static auto* code = new MachineCode;
  return *code;
}

/// Records a module, if the callback is about one. The module's bytes may be read only during this
/// call, which is before the launch that needs it.
inline void note_loaded_module(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_MODULE_LOADED) return;
  const auto* resource = static_cast<const CUpti_ResourceData*>(data);
  const auto* module = static_cast<const CUpti_ModuleResourceData*>(resource->resourceDescriptor);
  if (module == nullptr || module->pCubin == nullptr) return;
  try {
    machine_code().add_module(std::as_bytes(std::span(module->pCubin, module->cubinSize)));
  } catch (const std::exception&) {
    // Out of memory: the driver, which calls this, must not see it. The code stays unknown.
  }
}

}  // namespace apod::cuda
