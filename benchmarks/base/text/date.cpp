#include "benchmarks/base/text/date.hpp"

#include <chrono>
#include <cstdlib>
#include <regex>

namespace apod::text {
namespace {

/// No date is longer; the stack that matching takes grows with the text.
constexpr std::size_t longest_date = 64;

/// "+02:00", "-0530", "Z" or nothing, in seconds east of Greenwich; absent beyond a day.
std::optional<double> offset_of(const std::string& text) {
  if (text.empty() || text == "Z") return 0;
  const int hours = std::atoi(text.substr(1, 2).c_str());
  const int minutes = text.size() > 3 ? std::atoi(text.substr(text.size() - 2).c_str()) : 0;
  if (hours > 23 || minutes > 59) return std::nullopt;
  return (text[0] == '-' ? -60 : 60) * (60 * hours + minutes);
}

/// "05/17/26 10:00:00", as old programs write the date of the C locale, in the other order.
std::string as_iso(const std::string& date) {
  static const std::regex pattern(R"((\d\d)/(\d\d)/(\d\d) (\d\d:\d\d:\d\d))");
  std::smatch parts;
  if (date.size() > longest_date || !std::regex_match(date, parts, pattern)) return date;
  // POSIX: 69 to 99 are of the last century.
  const std::string century = parts[3].str() < "69" ? "20" : "19";
  return century + parts[3].str() + "-" + parts[1].str() + "-" + parts[2].str() + " " +
         parts[4].str();
}

}  // namespace

std::optional<double> instant_of(const std::string& written) {
  const auto date = as_iso(written);
  static const std::regex pattern(
      R"((\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))? ?(Z|[+-]\d\d(?::?\d\d)?)?)?)");
  std::smatch parts;
  if (date.size() > longest_date || !std::regex_match(date, parts, pattern)) return std::nullopt;
  // An absent part is an empty text, and counts as 0.
  const auto number = [&](std::size_t part) { return std::atoi(parts[part].str().c_str()); };
  using namespace std::chrono;
  const year_month_day day(year(number(1)), month(static_cast<unsigned>(number(2))),
                           std::chrono::day(static_cast<unsigned>(number(3))));
  const double second = std::strtod(parts[6].str().c_str(), nullptr);
  const auto offset = offset_of(parts[7].str());
  // A leap second has the number 60.
  if (!day.ok() || number(4) > 23 || number(5) > 59 || second >= 61 || !offset) return std::nullopt;
  const auto days = sys_days(day).time_since_epoch().count();
  return 86400.0 * static_cast<double>(days) + 3600.0 * number(4) + 60.0 * number(5) + second -
         *offset;
}

}  // namespace apod::text
