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

/// Likewise, of a name that a stranger may have made: one that refers to its own parts so often
/// that the source name might fill memory stays as it is. Each reference may double the text.
inline std::string demangled_if_short(const std::string& mangled) {
  constexpr std::size_t most_bytes = 4096;
  constexpr int most_references = 12;
  int references = 0;
  for (std::size_t i = 0; i < mangled.size(); ++i) {
    if (mangled[i] != 'S' && mangled[i] != 'T') continue;
    const auto end = mangled.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", i + 1);
    if (end != std::string::npos && mangled[end] == '_') ++references;
  }
  const bool is_short = mangled.size() <= most_bytes && references <= most_references;
  return is_short ? demangled(mangled) : mangled;
}

}  // namespace apod
