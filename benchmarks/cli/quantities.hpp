#pragma once

#include <cstdint>
#include <string>

namespace apod::cli {

/// Whether 0 means something.
enum class Zero : std::uint8_t { refused, allowed };

/// "1%", "0.5 %" or 0.01: a share below 1. Throws CLI::ValidationError naming `flag`.
double parse_share(const std::string& flag, const std::string& text, Zero zero = Zero::refused);

/// "90s", "200ms", "2m" (minutes, as "2min") or "1h", in seconds; at most a week. Throws
/// CLI::ValidationError naming `flag`.
double parse_seconds(const std::string& flag, const std::string& text, Zero zero = Zero::refused);

/// A whole number of 64 bits, where CLI11 would take 1e30 for the largest there is. Throws
/// CLI::ValidationError naming `flag`.
std::uint64_t parse_seed(const std::string& flag, const std::string& text);

}  // namespace apod::cli
