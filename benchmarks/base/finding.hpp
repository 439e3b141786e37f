#pragma once

/// \file
/// What an expert would say about a case, with the numbers behind it. Findings are derived from
/// facts, never from the name of a variant. Those in a result file are for its readers and decide
/// nothing.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/types.hpp"

namespace apod {

/// `note`: a property of the case, which may be intended. `warning`: the case loses time, or does
/// not do what it was asked to.
enum class Severity : std::uint8_t { note, warning };
template <>
struct EnumNames<Severity> {
  static constexpr std::array<std::string_view, 2> names{"note", "warning"};
};

struct Finding {
  std::string id;  ///< stable: "pageable-transfer"
  Severity severity = Severity::note;
  std::string subject;   ///< the kernel, the copies; empty: the whole case
  std::string evidence;  ///< one sentence, with numbers
  std::string advice;    ///< one sentence: what to try
  /// Share of the case's time that would be saved at most; 0: not known.
  double gain = 0;
};

/// Their name in `expect`: `findings: none` is met by a case without a warning.
inline constexpr std::string_view findings_key = "findings";
inline constexpr std::string_view no_findings = "none";

struct FindingInfo {
  std::string_view id;
  std::string_view help;  ///< one line, for `--list`
};

/// Every finding there is, what loses time first.
const std::vector<FindingInfo>& known_findings();

/// The finding called `id`; null if there is none.
const FindingInfo* find_finding(std::string_view id);

}  // namespace apod
