#pragma once

/// \file
/// The part of CUPTI that the tracer uses, loaded at run time: the program runs without it.

#include <cupti.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/api/process_tracer.hpp"

namespace apod::cuda {

struct CuptiLibrary {
  decltype(&cuptiGetVersion) get_version;
  decltype(&cuptiGetResultString) result_string;
  decltype(&cuptiSubscribe) subscribe;
  decltype(&cuptiUnsubscribe) unsubscribe;
  decltype(&cuptiEnableCallback) enable_callback;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks;
  decltype(&cuptiActivityEnable) enable;
  decltype(&cuptiActivityDisable) disable;
  decltype(&cuptiActivityFlushAll) flush_all;
  decltype(&cuptiActivityGetNextRecord) next_record;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records;
  decltype(&cuptiGetCallbackName) callback_name;
  decltype(&cuptiFinalize) finalize;
  decltype(&cuptiGetTimestamp) timestamp;
  // Null in a library without them.
  decltype(&cuptiSetThreadIdType) set_thread_id_type;
  decltype(&cuptiActivitySetAttribute) set_attribute;
  CUptiResult (*enable_runtime_call)(CUpti_CallbackId, std::uint8_t);
  CUptiResult (*enable_driver_call)(CUpti_CallbackId, std::uint8_t);
  /// CUPTI's entry for NVTX, which no header of it declares; null in a library without it. Not 0:
  /// it took the ranges.
  int (*initialize_nvtx)(NvtxExportTable);

  /// Loaded once, kept until the process ends. Null, with the reason in `why`, if there is no
  /// usable library.
  static const CuptiLibrary* instance(std::string& why);

  /// The first of the files that is as new as the headers, or newer, so that an older one does not
  /// hide it. Nothing if there is none; `why` then says what is wrong with the first that exists.
  static std::optional<CuptiLibrary> first_usable(const std::vector<std::string>& files,
                                                  std::string& why);
};

}  // namespace apod::cuda
