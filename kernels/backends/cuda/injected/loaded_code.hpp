#pragma once

/// \file
/// The machine code that a program loads, kept until a launch of it is captured.

#include <cupti.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace apod::cuda {

/// Code comes from CUPTI's callback on loaded modules, which sees every module once its machine
/// code is made, whatever call loaded it, and from the arguments of the calls that load, which see
/// the source (PTX). Several threads may call.
class LoadedCode {
 public:
  using Bytes = std::shared_ptr<const std::vector<char>>;

  /// The callback of a loaded module.
  void add_module(const CUpti_ModuleResourceData& module);
  /// A call of the driver: keeps what it loads, and connects its modules to their handle.
  void on_call(CUpti_CallbackId id, const CUpti_CallbackData& call);

  /// The machine code that holds a kernel of `module`, which is null if it is not known. Several
  /// modules may have a kernel of this name: `is_certain` is false if a choice was made.
  Bytes cubin_of(const std::string& kernel, CUmodule module, bool& is_certain) const;
  /// The PTX that has an entry of this name; null: there was none.
  Bytes ptx_of(const std::string& kernel) const;

 private:
  void add_image(const void* image);
  void add_file(const char* path);

  mutable std::mutex mutex_;
  std::vector<Bytes> cubins_;
  std::map<CUmodule, std::size_t> of_module_;  ///< into cubins_
  std::vector<Bytes> sources_;                 ///< PTX
};

/// The calls of the driver that it wants to see.
const std::vector<CUpti_CallbackId>& loading_calls();

}  // namespace apod::cuda
