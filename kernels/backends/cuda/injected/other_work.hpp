#pragma once

/// \file
/// What else the program does while one of its launches may be captured.

#include <cupti.h>

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "kernels/backends/cuda/tracer/cupti_library.hpp"

namespace apod::cuda {

/// Several threads may call.
class OtherWork {
 public:
  /// Asks for the calls that change memory, and for those that begin and end the capture of a
  /// stream into a CUDA graph. Call it once, before all else.
  void attach(const CuptiLibrary& cupti, CUpti_SubscriberHandle subscriber);
  /// Any call of the driver that the program makes.
  void on_call(CUpti_CallbackId id, const CUpti_CallbackData& call);

  /// Waiting for the device would end the capture of a stream with an error.
  bool a_stream_is_captured() const;
  /// From now on calls that change memory are noted.
  void watch();
  void note_change(const std::string& call);
  /// Ends watching. The sorted names of the calls.
  std::vector<std::string> take_changes();

 private:
  enum class Effect { begins_capture, ends_capture, changes_memory };

  std::map<CUpti_CallbackId, Effect> effects_;
  mutable std::mutex mutex_;  ///< of what follows
  std::set<CUstream> captured_;
  bool watches_ = false;
  std::set<std::string> changes_;
};

}  // namespace apod::cuda
