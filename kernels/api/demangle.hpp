#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace apod {

/// The source name of `mangled`; the same text if it is not a mangled name.
inline std::string demangled(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return mangled;  // of C; "f" alone would be the type float
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  return text ? text.get() : mangled;
}

}  // namespace apod
