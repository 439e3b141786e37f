#include "benchmarks/judge/recordings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "benchmarks/base/steps.hpp"
#include "benchmarks/judge/sessions.hpp"

namespace apod::judge {
namespace {

bool is_of_step(const std::string& name) {
  return name == "step" || name.starts_with(part_of_step) || name.starts_with(operation_of_step);
}

/// Whether it is about one kernel, or about one kind of copies, of a run.
bool is_operation_of_run(const std::string& name) {
  return name != "program" && !is_of_step(name);
}

/// Whether each session has steps. The case "step" itself may not have been asked for.
bool has_steps(const Side& side) {
  std::set<std::uint32_t> sessions;
  for (const auto& c : side.cases) {
    if (!is_of_step(c.name)) continue;
    for (const auto& time : c.times) sessions.insert(time.session);
  }
  return sessions.size() == side.sessions.size();
}

/// A command without the folders in its words: a build of another folder is run by the same one.
std::string without_folders(const std::string& command) {
  std::istringstream in(command);
  std::string text;
  for (std::string word; in >> word;) {
    const auto value = word.find('=') + 1;  // 0 where there is no '='
    const auto folders = word.rfind('/');
    if (folders != word.npos && folders >= value) word.erase(value, folders + 1 - value);
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

/// The cases of the inspected device, which only repeat those of the step: on each side, all parts
/// that both have are equal.
std::set<std::string> repeated(std::span<const Side> sides) {
  std::map<std::string, std::set<std::string>> of_devices;
  std::set<std::string> different;
  for (const auto& side : sides) {
    std::map<std::string, const SideCase*> known;
    for (const auto& c : side.cases) known[c.name] = &c;
    for (const auto& [name, c] : known) {
      const auto device = whole_of(name);
      if (!device.starts_with(part_of_step)) continue;
      const auto same = known.find("step" + name.substr(device.size()));
      if (same == known.end()) continue;
      of_devices[device].insert({name, device});
      const auto seconds = &ProcessTime::seconds;
      if (!std::ranges::equal(c->times, same->second->times, {}, seconds, seconds))
        different.insert(device);
    }
  }
  std::set<std::string> names;
  for (auto& [device, cases] : of_devices) {
    if (!different.contains(device)) names.merge(cases);
  }
  return names;
}

std::set<std::string> commands_of(const Side& side) {
  std::set<std::string> commands;
  for (const auto& command : values_of(side, "command")) commands.insert(without_folders(command));
  return commands;
}

}  // namespace

bool are_recordings(const Side& side) {
  return std::all_of(side.sessions.begin(), side.sessions.end(),
                     [](const auto& session) { return session.format == "recording"; });
}

std::vector<std::string> keep_comparable(std::span<Side> sides) {
  if (!std::all_of(sides.begin(), sides.end(), are_recordings)) return {};
  std::size_t with_steps = 0;
  for (const auto& side : sides) with_steps += has_steps(side) ? 1 : 0;
  const bool by_step = with_steps == sides.size();
  const auto repeats = repeated(sides);
  for (auto& side : sides) {
    std::vector<SideCase> kept;
    for (auto& c : side.cases) {
      const bool goes = by_step ? is_operation_of_run(c.name) : is_of_step(c.name);
      if (!goes && !repeats.contains(c.name)) kept.push_back(std::move(c));
    }
    side.cases = std::move(kept);
  }
  if (by_step || with_steps == 0) return {};
  return {"steps were found on one side only, so the whole runs are compared"};
}

std::vector<std::string> why_unlike(const Side& base, const Side& new_side) {
  std::vector<std::string> why;
  if (!are_recordings(base) || !are_recordings(new_side)) return why;
  const auto before = commands_of(base);
  const auto after = commands_of(new_side);
  if (!before.empty() && !after.empty() && before != after) why.emplace_back("different commands");
  for (const auto* side : {&base, &new_side}) {
    auto codes = values_of(*side, "exit_code");
    codes.erase("0");
    if (codes.empty()) continue;
    why.push_back(fmt::format("the {} ended with exit code {}", side == &base ? "base" : "new side",
                              fmt::join(codes, ", ")));
  }
  return why;
}

bool is_operation(const std::string& name) {
  return name.starts_with(operation_of_step) || is_operation_of_run(name);
}

bool is_waiting(const std::string& name) {
  if (!name.starts_with(part_of_step)) return false;
  const auto part = std::string_view(name).substr(name.rfind(": ") + 2);
  if (part == to_string(StepPart::kernels) || part == to_string(StepPart::copies)) return false;
  return part == "waiting for a later device" ||
         std::ranges::find(EnumNames<StepPart>::names, part) != EnumNames<StepPart>::names.end();
}

std::string whole_of(const std::string& name) {
  if (!is_of_step(name)) return "program";
  const auto part = name.find(": ", part_of_step.size());
  return name.starts_with("step: device ") && part != name.npos ? name.substr(0, part) : "step";
}

}  // namespace apod::judge
