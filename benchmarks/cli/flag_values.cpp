#include "benchmarks/cli/flag_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/cli/exit_code.hpp"

namespace apod::cli {
namespace {

[[noreturn]] void refuse_value(const std::string& flag, const std::string& text,
                               const std::string& hint) {
  throw UsageError(flag + ": '" + text + "' " + hint);
}

/// The number that the whole of `text` is; nothing where it is none.
template <class Number>
std::optional<Number> number_of(const std::string& text) {
  Number value{};
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

}  // namespace

double parse_share(const std::string& flag, const std::string& text, Zero zero) {
  // As in a file: 0.5 may be meant for 0.5 %.
  const auto share = text == "0" ? std::optional(0.0) : text::parse_share(text).value;
  const bool enough = share && (*share > 0 || (*share == 0 && zero == Zero::allowed));
  if (!enough || *share >= 1)
    refuse_value(flag, text,
                 "is not a share between 0% and 100% (write it in percent, such as 1%)");
  return *share;
}

double parse_seconds(const std::string& flag, const std::string& text, Zero zero) {
  constexpr double longest = 7 * 86400.0;
  // A flag may say "2m" for two minutes.
  const auto seconds = text::parse_seconds(text.ends_with('m') ? text + "in" : text).value;
  const bool enough = seconds && (*seconds > 0 || (*seconds == 0 && zero == Zero::allowed));
  if (enough && *seconds <= longest) return *seconds;
  if (const auto number = text::leading_number(text);
      number && number->second.empty() && number->first > 0) {
    refuse_value(flag, text, "has no unit (write " + text + "s or " + text + "m)");
  }
  refuse_value(flag, text,
               seconds ? "is not a time of more than 0 and at most a week (write 90s or 2m)"
                       : "is not a time (write 90s or 2m)");
}

std::uint64_t parse_seed(const std::string& flag, const std::string& text) {
  if (const auto seed = number_of<std::uint64_t>(text)) return *seed;
  refuse_value(flag, text, "is not a whole number from 0 to 2^64 - 1");
}

int parse_count(const std::string& flag, const std::string& text, int least, int most) {
  const auto count = number_of<int>(text);
  if (count && *count >= least && *count <= most) return *count;
  refuse_value(
      flag, text,
      "is not a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

DeviceChoice parse_devices(const std::string& flag, const std::string& text) {
  constexpr int most = 1023;
  DeviceChoice choice;
  choice.all = text == "all";
  for (std::size_t begin = 0; !choice.all && begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    const auto word = text.substr(begin, end - begin);
    const auto index = number_of<int>(word);
    auto& before = choice.indices;
    if (!index || *index < 0 || *index > most) {
      refuse_value(flag, text, "is not the index of a GPU, a list of them such as 0,2, or all");
    }
    if (std::find(before.begin(), before.end(), *index) != before.end()) {
      refuse_value(flag, text, "names GPU " + word + " twice");
    }
    before.push_back(*index);
    begin = end + 1;
  }
  return choice;
}

double parse_number(const std::string& flag, const std::string& text, double least, double most) {
  const auto number = number_of<double>(text);
  if (number && *number >= least && *number <= most) return *number;
  refuse_value(flag, text, fmt::format("is not a number from {:g} to {:g}", least, most));
}

}  // namespace apod::cli
