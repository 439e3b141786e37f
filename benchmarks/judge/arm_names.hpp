#pragma once

#include <string>

namespace apod::judge {

/// The id of a case without its value on the axis `by`, so that the arms of a ladder meet:
/// "e/host/size:8/streams:4" with streams and 4 is "e/host/size:8"; the variant has no name in an
/// id and is the part that equals `value`. A value may hold a '/'. The id as it is where `by` is
/// empty or not in it.
std::string common_name(const std::string& id, const std::string& by, const std::string& value);

}  // namespace apod::judge
