#include "benchmarks/cli/listing.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/model/axes.hpp"
#include "benchmarks/model/summary.hpp"
#include "benchmarks/text/closest.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::cli {
namespace {

/// A wider terminal is not filled: lines would be too long to read.
constexpr int widest = 100;
constexpr std::size_t indent = 2;

/// A name, and what there is to say of it.
struct Entry {
  std::string name;
  std::string text;
};

/// The entries as two columns, `depth` steps from the margin. Text that has no room beside its name
/// goes on below itself.
void print(const std::vector<Entry>& entries, std::size_t depth) {
  constexpr std::size_t longest_name = 24;
  const auto width =
      static_cast<std::size_t>(std::clamp(terminal_width(STDOUT_FILENO), 60, widest));
  std::size_t names = 0;
  for (const auto& entry : entries) {
    names = std::max(names, std::min(text::display_width(entry.name), longest_name));
  }
  const auto begin = depth * indent + names + 2;
  for (const auto& entry : entries) {
    auto line = std::string(depth * indent, ' ') + text::pad_right(entry.name, names) + "  ";
    if (text::display_width(line) > begin) {
      std::cout << line << '\n';
      line = std::string(begin, ' ');
    }
    for (const auto& part : text::wrap(text::printable(entry.text), width - begin)) {
      std::cout << line << part << '\n';
      line = std::string(begin, ' ');
    }
  }
}

void heading(const std::string& text) {
  std::cout << '\n' << text << '\n';
}

/// What the variant is, and why it can't be run here if it can't.
std::string text_of(const VariantEntry& variant) {
  const auto missing = variant.missing ? variant.missing() : std::string();
  if (!missing.empty()) {
    return variant.summary + (variant.summary.empty() ? "(" : " (") + missing + ")";
  }
  return variant.make ? variant.summary : "(not in this build: it has no CUDA)";
}

std::string values_of(const AxisSpec& axis) {
  switch (axis.kind) {
    case AxisSpec::Kind::choice: {
      std::string words;
      for (const auto& choice : axis.choices) words += (words.empty() ? "" : " | ") + choice;
      return words;
    }
    case AxisSpec::Kind::shape:
      return "ROWSxCOLS";
    case AxisSpec::Kind::integer:
      break;
  }
  return fmt::format("{}..{}", axis.min, axis.max);
}

Entry entry_of(const AxisSpec& axis, const std::string& note = "") {
  return {axis.name, fmt::format("{} ({}; default {}){}", axis.help, values_of(axis),
                                 to_string(axis.default_value), note)};
}

void list_family(const Registry& registry, const Family& family) {
  print({{std::string(family.name()), std::string(family.summary())}}, 1);
  std::vector<Entry> variants;
  for (const auto* variant : registry.variants(family.name())) {
    variants.push_back({fmt::format("{:<18} {:<4}", variant->name, to_string(variant->backend)),
                        text_of(*variant)});
  }
  print(variants, 2);
  std::vector<Entry> axes;
  for (const auto& axis : family.axes()) axes.push_back(entry_of(axis));
  if (!axes.empty()) std::cout << "    axes\n";
  print(axes, 3);
}

/// The axes that the harness adds to those of `family`, the same for every workload.
void list_common_axes(const Registry& registry, const Family& family) {
  heading("Axes of every workload");
  const auto own = family.axes();
  const auto of_kernels = axes_of(registry, family, Scope::kernel);
  std::vector<Entry> axes;
  for (auto& axis : axes_of(registry, family, Scope::end_to_end)) {
    if (find_axis(own, axis.name) != nullptr) continue;
    if (axis.name == "variant") {
      axes.push_back({axis.name, axis.help});
    } else {
      const bool everywhere = find_axis(of_kernels, axis.name) != nullptr;
      axes.push_back(entry_of(axis, everywhere ? "" : " [scope: end_to_end]"));
    }
  }
  print(axes, 1);
}

void list_facts() {
  heading("Facts that `expect` can name");
  std::vector<Entry> entries;
  for (const auto& fact : known_facts()) {
    entries.push_back(
        {std::string(fact.name),
         fmt::format("{}{}{}", fact.help, fact.needs == FactNeeds::trace ? " [trace: true]" : "",
                     fact.needs == FactNeeds::counters ? " [counters: true]" : "")});
  }
  print(entries, 1);
  heading("Findings of a traced case, which `expect` names as findings: ID, \"!= ID\" or none");
  entries.clear();
  for (const auto& finding : known_findings()) {
    entries.push_back({std::string(finding.id), std::string(finding.help)});
  }
  print(entries, 1);
}

/// The `description:` of a shipped file. Read as text: a list must be quick, and a shipped file
/// that is broken is still listed.
std::string description_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  constexpr std::string_view key = "description:";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const auto begin = line.find_first_not_of(" \"'>|-", key.size());
    if (begin == std::string::npos) continue;
    auto text = line.substr(begin);
    if (!text.empty() && (text.back() == '"' || text.back() == '\'')) text.pop_back();
    return text;
  }
  return "";
}

void list_configs() {
  for (const auto& folder : config_folders()) {
    std::vector<Entry> entries;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() != ".yaml") continue;
      entries.push_back({entry.path().filename().string(), description_of(entry.path())});
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.name < b.name; });
    heading("Shipped configs (" + text::printable(folder) + ")");
    print(entries, 1);
  }
}

std::vector<std::string> names_of(const Registry& registry) {
  std::vector<std::string> names;
  for (const auto* family : registry.families()) names.emplace_back(family->name());
  return names;
}

}  // namespace

int list(const Registry& registry, const std::string& workload) {
  const auto families = registry.families();
  if (!workload.empty()) {
    const auto* family = registry.family(workload);
    if (family == nullptr) refuse_word("--list", workload, names_of(registry));
    list_family(registry, *family);
    list_common_axes(registry, *family);
    return ExitCode::success;
  }
  std::cout << "Workloads, their variants and axes\n";
  for (const auto* family : families) list_family(registry, *family);
  if (!families.empty()) list_common_axes(registry, *families.front());
  list_facts();
  list_configs();
  return ExitCode::success;
}

void warn_of_strays(const Registry& registry) {
  for (const auto* variant : registry.strays()) {
    const auto near = text::closest(variant->family, names_of(registry));
    say("variant " + variant->name + " names the family '" + variant->family +
        "', which is not there" + (near.empty() ? "" : " (did you mean " + near + "?)"));
  }
}

}  // namespace apod::cli
