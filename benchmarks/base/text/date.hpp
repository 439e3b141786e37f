#pragma once

#include <optional>
#include <string>

namespace apod::text {

/// Seconds since 1970 of a date as ISO 8601 writes it: "2026-05-17T10:00:00+02:00", with a space
/// for the T, without seconds or without a time of day too; or as the C locale writes it, "05/17/26
/// 10:00:00". UTC where it names no offset. Absent for any other text, and for a day or an hour
/// that there is not.
std::optional<double> instant_of(const std::string& date);

}  // namespace apod::text
