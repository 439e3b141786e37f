#pragma once

/// \file
/// When and where the sessions of a side ran.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "benchmarks/base/side.hpp"

namespace apod::judge {

/// What the session records of `key`; empty where it does not.
std::string property(const SideSession& session, const std::string& key);
/// What the sessions record of `key`, each value once; those that don't are passed over.
std::set<std::string> values_of(const Side& side, const std::string& key);
/// What they record of all keys.
Properties properties_of(const std::vector<SideSession>& sessions);
/// When it ran, s since 1970; absent without a date that can be read.
std::optional<double> instant_of(const SideSession& session);
/// The ids of the GPUs; where none is recorded, the names of the hosts.
std::set<std::string> boards_of(const Side& side);

/// The days of a side. What happened to a machine between two days stays for all sessions of a day,
/// so these are one observation of it. A day ends with a gap of six hours, and after twelve.
/// Sessions without a date may all be of one day, which is none of the others.
struct Days {
  /// Days are numbered in the order of their dates; `count` is the number of what has no date.
  std::vector<std::uint32_t> of_session;
  std::size_t count = 0;        ///< with a date
  std::size_t undated = 0;      ///< sessions
  std::optional<double> first;  ///< date of the first session that has one, s since 1970
  std::optional<double> last;
};
Days days_of(const Side& side);

/// Whether each session of each side has the date and the times of one before it, of that side or
/// of one before: they are one run, in whatever layout and under whatever name.
std::vector<std::vector<bool>> copies_in(const std::vector<const Side*>& sides);

}  // namespace apod::judge
