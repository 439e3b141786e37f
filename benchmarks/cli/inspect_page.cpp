#include <fmt/format.h>

#include <filesystem>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/inspect_request.hpp"
#include "benchmarks/look/frameworks.hpp"
#include "benchmarks/show/about.hpp"
#include "benchmarks/show/explanation.hpp"
#include "benchmarks/show/export/kernel_table.hpp"
#include "benchmarks/show/figures.hpp"

namespace apod::cli {
namespace {

using show::Document;
using show::Heading;
using show::Paragraph;
using show::Span;
using show::Tone;

constexpr std::size_t most_rows = 10;  ///< of a table
constexpr std::size_t most_devices = 100;
constexpr std::size_t longest_subject = 100;
constexpr std::size_t most_steps = 24;  ///< rows of their figure
constexpr std::size_t most_families = 15;

/// What was recorded, in short: the command, the program or the file.
std::string subject_of(const Inspection& inspection, const std::string& file) {
  const auto& recording = inspection.recording;
  if (!recording.command.empty()) return text::shorten(recording.command, longest_subject);
  if (recording.programs.empty()) return std::filesystem::path(file).filename().string();
  return text::joined(recording.programs, ", ");
}

std::string answer_of(const Inspection& inspection, const std::string& subject) {
  const auto steps = step_report(inspection, subject);
  if (steps) return show::answer_line(*steps);
  const auto why = inspection.why_no_findings();
  return why.empty() ? show::no_cause : why;
}

/// What follows the first line of the answer, and the timeline in a line.
show::List at_a_glance(const Inspection& inspection, const std::string& subject) {
  show::List list;
  if (const auto steps = step_report(inspection, subject)) {
    list = show::answer_list(*steps, show::Audience::page);
    list.items.erase(list.items.begin());
  }
  const auto line = show::timeline_line(inspection.facts);
  const auto& used = inspection.devices;
  const auto where = used.size() > 1 ? fmt::format(" on device {}", used.front()) : "";
  if (!line.empty()) list.items.push_back({"The whole run" + where + ": " + line + "."});
  return list;
}

void add_cautions(Document& document, const Inspection& inspection) {
  const auto caution = [&](const std::string& text) {
    document.add(Paragraph{Span{text + ".", Tone::warning}});
  };
  const auto& recording = inspection.recording;
  if (recording.exit_code.value_or(0) != 0)
    caution(fmt::format("The program ended with exit code {}", *recording.exit_code));
  for (const auto& note : inspection.notes) caution(note);
  for (const auto& note : recording.trace.notes) caution(note);
}

void add_profile(Document& document, const Inspection& inspection, const std::string& subject,
                 show::Page& page) {
  const auto& profile = inspection.profile;
  if (profile.empty() && profile.ranges.empty()) return;
  document.add(Heading{2, {"where the time goes"}});
  if (const auto steps = step_report(inspection, subject)) {
    auto table = show::step_table(*steps, most_families);
    table.caption = steps->steps.repeats() ? "a steady step" : "the run";
    document.add(std::move(table));
  }
  const std::string what = "kernels, copies, calls and ranges of the whole run";
  document.add(Heading{.level = 3,
                       .title = {inspection.devices.size() > 1 ? what + " on all devices" : what},
                       .folded = true});
  document.add(show::profile_figure({{"", &profile}}, page));
  document.append(show::profile_tables(profile, inspection.device, most_rows), 1);
}

void add_environment(Document& document, const Inspection& inspection) {
  const auto& recording = inspection.recording;
  const auto* found = inspection.ceilings ? &*inspection.ceilings : nullptr;
  auto entries =
      show::device_entries(inspection.device, found == nullptr ? nullptr : &found->ceilings);
  if (found != nullptr) {
    entries.add("measured with",
                fmt::format("driver {}, CUDA {}", found->ceilings.driver, found->ceilings.cuda));
  }
  entries.add("programs", text::joined(recording.programs, ", "));
  if (recording.exit_code) entries.add("exit code", std::to_string(*recording.exit_code));
  entries.add("recorded by", recording.producer +
                                 (recording.schema.empty() ? "" : ", schema " + recording.schema));
  entries.add("date", recording.date);
  document.add(Heading{2, {"environment"}}, std::move(entries));
}

void add_repeat(Document& document, const Inspection& inspection, const std::string& file) {
  const auto& recording = inspection.recording;
  if (recording.command.empty() && file.empty()) return;
  std::vector<std::string> words{"bench", "inspect"};
  words.insert(words.end(), recording.part.begin(), recording.part.end());
  if (recording.command.empty()) words.push_back(file);
  std::string line = text::shell_line(words);
  if (!recording.command.empty()) line += " -- " + recording.command;
  document.add(Heading{2, {"repeat this"}}, show::Code{line + "\n"});
}

}  // namespace

std::optional<show::StepReport> step_report(const Inspection& inspection, const std::string& file) {
  if (inspection.unseen_graphs > 0 || inspection.steps.empty()) return std::nullopt;
  const auto& steps = inspection.steps.front().steps;
  if (steps.steady.empty()) return std::nullopt;
  const auto& recording = inspection.recording;
  return show::StepReport{subject_of(inspection, file),
                          steps,
                          inspection.findings,
                          inspection.steady,
                          recording.schema.empty(),
                          recording.exit_code.value_or(0),
                          look::advice_for(look::framework_of(recording)).fuse,
                          !inspection.device.compute_capability.empty()};
}

show::PageFrame page_frame(const Inspection& inspection, const std::string& file) {
  const auto& recording = inspection.recording;
  Environment environment;
  environment.device = inspection.device;
  environment.date = recording.date;
  return {subject_of(inspection, file), show::about(environment), recording.producer};
}

show::Document inspection_page(const Inspection& inspection, const std::string& file) {
  const auto subject = subject_of(inspection, file);
  Document document;
  show::Page page;
  document.add(Heading{1, {"What limits " + subject + "?"}});
  document.add(Paragraph{Span{answer_of(inspection, subject), Tone::strong}});
  document.add(at_a_glance(inspection, subject));
  document.add(show::tried_list(inspection.tried));
  add_cautions(document, inspection);
  if (const auto steps = step_report(inspection, subject))
    document.add(show::steps_figure(steps->steps, most_steps, page));
  document.add(show::lanes_figure({{"the whole run", &inspection.profile.lanes}}, page));
  if (!inspection.step_lanes.empty()) {
    document.add(show::lanes_figure(
        {{inspection.one_step, &inspection.step_lanes, inspection.one_step_s}}, page));
  }
  if (inspection.steps.size() > 1)
    document.add(show::devices_table(inspection.steps, most_devices));
  document.add(show::collectives_list(inspection.collectives));
  document.add(Heading{2, {"further findings"}},
               show::findings_list(show::further_findings(inspection.findings)));
  add_profile(document, inspection, subject, page);
  add_environment(document, inspection);
  add_repeat(document, inspection, file);
  return document;
}

}  // namespace apod::cli
