#pragma once

/// \file
/// Where the time of a program's step goes, in words: the first that a reader sees.

#include <string>
#include <vector>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/finding.hpp"
#include "benchmarks/base/profile.hpp"
#include "benchmarks/base/recording.hpp"
#include "benchmarks/base/steps.hpp"
#include "benchmarks/show/document.hpp"
#include "benchmarks/show/figures.hpp"

namespace apod::show {

/// Characters of a name that the program chose, in a line.
constexpr std::size_t longest_told = 48;

/// As in a sentence: "4.5 ms".
std::string time(double seconds);

/// What is reported about a program.
struct StepReport {
  std::string subject;  ///< its command, or the file
  const Steps& steps;   ///< of the device that is judged
  const std::vector<Finding>& findings;
  const Profile& profile;    ///< of the steady steps on that device
  bool by_recorder = false;  ///< our recorder made it, which itself costs time
  int exit_code = 0;
  std::string_view fuse = {};  ///< what is done about elementwise kernels
  bool may_capture = true;     ///< the device may run a kernel that is captured
};

/// The answer: what repeats and how long it takes, the parts of a step, the start, the causes with
/// what each costs at most, the sum of these, the cost of the recorder.
List answer_list(const StepReport& report, Audience audience = Audience::text);

/// The first line of it, for a title.
std::string answer_line(const StepReport& report);

/// What the answer does not say in full: notes, and causes beyond the first three.
std::vector<Finding> further_findings(std::vector<Finding> findings);

/// What each switch of `--try` saved, beside the most that its finding said.
List tried_list(const std::vector<TriedSwitch>& tried);

/// Of two recordings: "step 26.4 -> 18.1 ms: copies alone 3 -> 0, ...", the parts that changed by
/// 1 % of the step or more, at most three. Empty where a side has no steps.
std::string step_change(const Comparison& comparison);

/// Parts of the mean step: "kernels 14.5 ms (52 %), ...". The percentages add up to 100; parts of
/// less than 1 % are one.
std::string parts_text(const Parts& parts);

/// A row for each device, the `most` busiest: its median step and the parts of the mean one.
Table devices_table(const std::vector<DeviceSteps>& devices, std::size_t most);

/// The bus bandwidth of each kind of collective, a line each, of the three that take most time.
List collectives_list(const std::vector<Collective>& collectives);

/// A row for each steady step, at most `most` spread over all of them: its parts, one after the
/// other.
figure::Figure steps_figure(const Steps& steps, std::size_t most, Page& page);

/// The kernels and copies of a step by family and short name, at most `most` rows; the last one is
/// the rest.
Table step_table(const StepReport& report, std::size_t most);

}  // namespace apod::show
