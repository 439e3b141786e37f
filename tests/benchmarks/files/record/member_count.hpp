#pragma once

#include <cstddef>

namespace apod::record {

/// Converts to the type of any member.
struct Anything {
  template <class T>
  operator T() const;
};

/// Number of members of an aggregate: the most values that its braces take. With it a test finds
/// the member that somebody added and no list of fields knows.
template <class T, class... Values>
constexpr std::size_t member_count() {
  if constexpr (requires { T{Values{}..., Anything{}}; }) {
    return member_count<T, Values..., Anything>();
  } else {
    return sizeof...(Values);
  }
}

}  // namespace apod::record
