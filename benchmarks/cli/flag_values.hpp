#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace apod::cli {

/// Whether 0 is allowed.
enum class Zero : std::uint8_t { refused, allowed };

/// "1%", "0.5 %" or 0.01: a share below 1. Throws UsageError naming `flag`, as all of these do.
double parse_share(const std::string& flag, const std::string& text, Zero zero = Zero::refused);

/// "90s", "200ms", "2m" (minutes, as "2min") or "1h", in seconds; at most a week.
double parse_seconds(const std::string& flag, const std::string& text, Zero zero = Zero::refused);

/// A whole number from 0 to 2^64 - 1.
std::uint64_t parse_seed(const std::string& flag, const std::string& text);

/// A whole number from `least` to `most`.
int parse_count(const std::string& flag, const std::string& text, int least, int most);

/// Which GPUs a run uses.
struct DeviceChoice {
  bool all = false;
  std::vector<int> indices;  ///< in the given order; none: the first

  /// Whether each GPU gets a run of its own.
  bool several() const { return all || indices.size() > 1; }
  /// The only one; nothing if none was named.
  std::optional<int> one() const {
    return indices.size() == 1 ? std::optional(indices.front()) : std::nullopt;
  }
};
/// "all", "2" or "0,2".
DeviceChoice parse_devices(const std::string& flag, const std::string& text);

/// A number from `least` to `most`.
double parse_number(const std::string& flag, const std::string& text, double least, double most);

}  // namespace apod::cli
