#pragma once

/// \file
/// Tells when the NVTX range that is waited for begins and ends. Plain C++: no toolkit.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace apod::cuda {

/// What an event does to the range.
enum class RangeEvent : std::uint8_t { none, begins, ends };

/// Follows the ranges of one name until the wanted one. May be called from several threads.
class RangeWatch {
 public:
  /// "NAME", or "NAME/2" for the third of that name. A name that ends so itself is taken as it is
  /// when it comes first.
  explicit RangeWatch(std::string text) : text_(std::move(text)), name_(text_) {
    const auto slash = text_.rfind('/');
    if (slash == std::string::npos) return;
    const char* end = text_.data() + text_.size();
    std::size_t index = 0;
    const auto [stop, error] = std::from_chars(text_.data() + slash + 1, end, index);
    if (error != std::errc{} || stop != end) return;
    name_ = std::string_view(text_).substr(0, slash);
    left_ = index;
  }

  /// Whether there is a range to wait for.
  bool waits() const { return !text_.empty(); }

  RangeEvent push(std::uint64_t thread, const void* domain, std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (state_ == State::open && stack_ == std::pair(thread, domain)) ++depth_;
    if (!is_met(name)) return RangeEvent::none;
    stack_ = {thread, domain};
    depth_ = 1;
    return RangeEvent::begins;
  }
  RangeEvent pop(std::uint64_t thread, const void* domain) {
    const std::lock_guard lock(mutex_);
    if (state_ != State::open || depth_ == 0 || stack_ != std::pair(thread, domain))
      return RangeEvent::none;
    return --depth_ == 0 ? closed() : RangeEvent::none;
  }
  RangeEvent start(std::uint64_t id, std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (!is_met(name)) return RangeEvent::none;
    id_ = id;
    depth_ = 0;
    return RangeEvent::begins;
  }
  RangeEvent end(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    return state_ == State::open && depth_ == 0 && id == id_ ? closed() : RangeEvent::none;
  }

 private:
  enum class State : std::uint8_t { waiting, open, over };

  bool is_met(std::string_view name) {
    if (state_ != State::waiting) return false;
    if (name != text_ && (name != name_ || left_-- > 0)) return false;
    state_ = State::open;
    return true;
  }
  RangeEvent closed() {
    state_ = State::over;
    return RangeEvent::ends;
  }

  std::mutex mutex_;
  std::string text_;
  std::string_view name_;  ///< without its index
  std::size_t left_ = 0;   ///< number of ranges of the name before the wanted one
  State state_ = State::waiting;
  std::pair<std::uint64_t, const void*> stack_{0, nullptr};  ///< thread and domain
  std::size_t depth_ = 0;  ///< of that stack since the range was pushed; 0: it was not pushed
  std::uint64_t id_ = 0;
};

}  // namespace apod::cuda
