#pragma once

#include <cctype>
#include <string>

namespace apod::text {

/// "NVIDIA H200" -> "nvidia-h200": safe in a file's name.
inline std::string slug(const std::string& text) {
  std::string name;
  for (const unsigned char c : text) {
    const bool plain = std::isalnum(c) != 0 || c == '.';
    if (plain) {
      name += static_cast<char>(std::tolower(c));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name;
}

}  // namespace apod::text
