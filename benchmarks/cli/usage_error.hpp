#pragma once

#include <stdexcept>

namespace apod::cli {

/// A command line that can't be followed. The message names the flag and says what to write.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a UsageError says of an empty word or value: it is not a wish to go without.
inline constexpr const char* empty_value = "'' names nothing (is a variable of the shell not set?)";

}  // namespace apod::cli
