#pragma once

#include <optional>
#include <string>

namespace apod::text {

/// Seconds since 1970 of a date as in ISO 8601: "2026-05-17T10:00:00+02:00", also with a space for
/// the T, without seconds or without a time of day; or as in the C locale, "05/17/26 10:00:00". UTC
/// if it has no offset. Absent for any other text, and for a day or an hour that does not exist.
std::optional<double> instant_of(const std::string& date);

}  // namespace apod::text
