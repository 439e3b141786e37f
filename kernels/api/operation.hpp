#pragma once

/// \file
/// What a variant knows about its kernels and a trace does not: the operation that they implement,
/// its shapes, and its work.

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace apod {

/// The NVTX domain of everything that this program annotates.
inline constexpr std::string_view annotation_domain = "apod";

struct Operation {
  std::string name;       ///< "conv2d"
  std::string direction;  ///< "fprop" or "bprop"
  std::string shapes;     ///< "32x64x56x56 * 64x64x3x3"
  std::string type;       ///< of the arithmetic: "fp32", "tf32"
  double flops = 0;       ///< the least, a fused multiply-add counting as two
  double bytes = 0;       ///< the least from and to device memory: operands once, results once
  friend bool operator==(const Operation&, const Operation&) = default;
};

/// The operation as the name of a range, in one line that a person can read too:
/// "op conv2d, fprop, 32x64x56x56 * 64x64x3x3, fp32, 7223640064 FLOPs, 51527680 bytes". Numbers are
/// rounded to whole ones. Throws std::invalid_argument for a text that is empty, holds a comma or
/// anything but printable ASCII, or is longer than 200 characters, and for a number that is
/// negative or above 2^63.
std::string encode(const Operation& operation);

/// The operation in the text `range`; nothing for a text that encode() would not have written.
std::optional<Operation> parse_operation(std::string_view range);

/// Shows operations to a profiler.
class OperationListener {
 public:
  virtual ~OperationListener() = default;
  /// Whether a profiler is attached; asked before every operation.
  virtual bool listens() = 0;
  /// Opens a range in the calling thread.
  virtual void begin(const std::string& range) = 0;
  /// Closes the range that was opened last.
  virtual void end() = 0;
};

/// Shows all operations to `listener` from now on; null: to none. It must outlive them.
void show_operations(OperationListener* listener);

/// Marks the kernels that the calling thread launches until its end as those of one operation:
///   const OperationScope scope([&] { return Operation{.name = "relu", ...}; });
/// Without a profiler `describe` is not called.
class OperationScope {
 public:
  template <std::invocable Describe>
  explicit OperationScope(const Describe& describe) : listener_(listening()) {
    if (listener_ != nullptr) listener_->begin(encode(describe()));
  }
  ~OperationScope() {
    if (listener_ != nullptr) listener_->end();
  }
  OperationScope(const OperationScope&) = delete;
  OperationScope& operator=(const OperationScope&) = delete;

 private:
  /// The listener, if a profiler is attached.
  static OperationListener* listening();

  OperationListener* listener_;
};

}  // namespace apod
