#pragma once

/// \file
/// FNV-1a, 64 bit (Fowler, Noll, Vo; draft-eastlake-fnv). Tells contents apart; not for secrets.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace apod {

class Fnv1a {
 public:
  Fnv1a& add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
      value_ = (value_ ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3ULL;
    }
    return *this;
  }
  Fnv1a& add(std::string_view text) { return add(std::as_bytes(std::span(text))); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

/// One hash for a set of hashes, independent of order and repeats. That of a single hash is the
/// hash itself. The set must not be empty.
inline std::uint64_t combined(const std::set<std::uint64_t>& hashes) {
  if (hashes.size() == 1) return *hashes.begin();
  Fnv1a all;
  for (const std::uint64_t hash : hashes) all.add(std::as_bytes(std::span(&hash, 1)));
  return all.value();
}

/// The 16 hexadecimal digits of a hash.
inline std::string hex(std::uint64_t hash) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

}  // namespace apod
