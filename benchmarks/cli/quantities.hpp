#pragma once

#include <cstdint>
#include <string>

namespace apod::cli {

/// "1%", "0.5 %" or 0.01: a share above 0 and below 1. Throws CLI::ValidationError naming `flag`.
double parse_share(const std::string& flag, const std::string& text);

/// "90s", "200ms", "2min", "1h" or plain seconds; above 0, at most a week. Throws
/// CLI::ValidationError naming `flag`.
double parse_seconds(const std::string& flag, const std::string& text);

/// A whole number of 64 bits, where CLI11 would take 1e30 for the largest there is. Throws
/// CLI::ValidationError naming `flag`.
std::uint64_t parse_seed(const std::string& flag, const std::string& text);

}  // namespace apod::cli
