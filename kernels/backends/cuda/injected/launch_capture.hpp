#pragma once

/// \file
/// Takes launches out of the program that it is loaded into, by callbacks around its calls of the
/// driver. Never throws into the program: what goes wrong becomes a note.

#include <cupti.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/api/captured_launch.hpp"
#include "kernels/backends/cuda/injected/capture_driver.hpp"
#include "kernels/backends/cuda/injected/loaded_code.hpp"
#include "kernels/backends/cuda/injected/other_work.hpp"
#include "kernels/backends/cuda/tracer/cupti_library.hpp"

namespace apod::cuda {

struct LaunchCall;

class LaunchCapture {
 public:
  explicit LaunchCapture(capture::Wish wish) : wish_(std::move(wish)) {}

  /// Asks for the calls that it must see.
  void attach(const CuptiLibrary& cupti, CUpti_SubscriberHandle subscriber);
  void on_event(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) noexcept;
  std::vector<std::string> take_notes();

 private:
  using Shape = std::tuple<std::string, std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>,
                           std::uint32_t>;
  /// A launch between its two callbacks.
  struct Pending {
    capture::CapturedLaunch launch;
    std::string folder;  ///< until it is complete
    std::string final_folder;
    CUmodule module = nullptr;
    std::vector<CUdeviceptr> variables;
    std::unique_lock<std::timed_mutex> others_wait;
  };

  void on_launch(CUpti_CallbackId id, const CUpti_CallbackData& data);
  /// Which of the matching launches, and of the captures.
  struct Wanted {
    std::uint64_t launch = 0;
    std::size_t number = 0;
  };
  /// Counts the launch.
  std::optional<Wanted> wanted(const LaunchCall& call);
  bool matches(const std::string& name);
  void begin(const LaunchCall& call, const Wanted& which);
  void pass_over(const LaunchCall& call);
  void end(const CUpti_CallbackData& data);
  std::string take_arguments(const LaunchCall& call, std::vector<std::vector<std::byte>>& values);
  std::string take_function(const LaunchCall& call);
  void take_variables();
  std::string take_code();
  std::string too_long(const std::string& what);
  void give_up(const std::string& why);
  void note(const std::string& text);

  const capture::Wish wish_;
  LoadedCode code_;
  OtherWork others_;
  std::unique_ptr<const CaptureDriver> driver_;
  /// Held while a launch is captured: other threads launch when it is free, or after two seconds.
  std::timed_mutex busy_;
  std::mutex mutex_;  ///< of what follows
  std::map<std::string, bool> matching_;
  std::set<Shape> shapes_;
  std::uint64_t seen_ = 0;
  std::uint64_t in_graphs_ = 0;
  std::uint64_t beside_graphs_ = 0;
  std::uint64_t passed_over_ = 0;
  std::size_t folders_ = 0;
  bool done_ = false;
  std::vector<std::string> notes_;
  std::unique_ptr<Pending> pending_;  ///< of the thread that holds busy_
};

}  // namespace apod::cuda
