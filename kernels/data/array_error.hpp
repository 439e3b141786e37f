#pragma once

/// \file
/// Errors of the readers of array files.

#include <cstdint>
#include <stdexcept>
#include <string>

namespace apod::array_error {

/// The caller that knows the file's name puts it in front.
[[noreturn]] inline void fail(const std::string& what) {
  throw std::runtime_error(what);
}

[[noreturn]] inline void fail_longer(const std::string& shape, std::uint64_t bytes) {
  fail("has " + std::to_string(bytes) + " more bytes than its shape, " + shape + ", needs");
}

}  // namespace apod::array_error
