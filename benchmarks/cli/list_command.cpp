#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/model/axes.hpp"
#include "benchmarks/model/summary.hpp"

namespace apod::cli {
namespace {

/// What it is, and why it can't be run here if it can't.
std::string line_of(const VariantEntry& variant) {
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

void list_family(const Registry& registry, const Family& family) {
  fmt::print("  {:<12} {}\n", family.name(), family.summary());
  for (const auto* variant : registry.variants(family.name())) {
    const std::string where(to_string(variant->backend));
    fmt::print("    {:<18} {:<5} {}\n", variant->name, where, line_of(*variant));
  }
  const auto kernel_axes = axes_of(registry, family, Scope::kernel);
  for (const auto& axis : axes_of(registry, family, Scope::end_to_end)) {
    if (axis.name == "variant") continue;
    const bool everywhere = find_axis(kernel_axes, axis.name) != nullptr;
    fmt::print("    axis {:<16} {} ({}; default {}){}\n", axis.name, axis.help, values_of(axis),
               to_string(axis.default_value), everywhere ? "" : " [end_to_end]");
  }
}

/// The `description:` of a shipped file. Read as text: a list must be quick, and a shipped file
/// that is broken is still listed.
std::string description_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  constexpr std::string_view key = "description:";
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
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
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    fmt::print("\nShipped configs ({})\n", folder);
    for (const auto& file : files) {
      fmt::print("  {:<22} {}\n", file.filename().string(), description_of(file));
    }
  }
}

}  // namespace

int list_command(const Registry& registry) {
  fmt::print("Workloads, their variants and axes\n");
  for (const auto* family : registry.families()) list_family(registry, *family);
  fmt::print("\nFacts that `expect` can name\n");
  for (const auto& fact : known_facts()) {
    fmt::print("  {:<20} {}{}{}\n", fact.name, fact.help,
               fact.needs == FactNeeds::trace ? " [trace: true]" : "",
               fact.needs == FactNeeds::counters ? " [counters: true]" : "");
  }
  fmt::print(
      "\nFindings of a traced case, which `expect` names as findings: ID, \"!= ID\" or none\n");
  for (const auto& finding : known_findings()) {
    fmt::print("  {:<20} {}\n", finding.id, finding.help);
  }
  list_configs();
  return ExitCode::success;
}

}  // namespace apod::cli
