#include "benchmarks/cli/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <ranges>
#include <set>
#include <thread>
#include <utility>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/base/experiment.hpp"
#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/summary.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/flags.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/plan/estimate.hpp"

namespace apod::cli {

namespace {

constexpr std::size_t cases_shown = 60;

/// No bytes are no value.
show::Cell bytes_cell(std::uint64_t bytes) {
  if (bytes == 0) return {};
  return {.text = text::format_bytes(static_cast<double>(bytes))};
}

/// Of the last minute or of this moment, whichever is more; 0 where the system does not say.
double waiting_processes() {
  // proc_loadavg(5): three averages, then those that run / all.
  std::ifstream file("/proc/loadavg");
  double minute = 0, others = 0, running = 0;
  file >> minute >> others >> others >> running;
  return file ? std::max(minute, running - 1) : 0;
}

/// The commands that the file would start, so that the user can decide whether to trust it.
show::List commands_of(const Plan& plan) {
  show::List lines;
  for (const auto& experiment : plan.experiments) {
    if (experiment.kernel) {
      for (const auto& launch : experiment.kernel->spec.launches) {
        const auto& sources = experiment.kernel->spec.sources;
        std::set<std::string> files(sources.begin(), sources.end());
        files.insert(launch.file);
        for (const auto& c : plan.cases) {
          if (&plan.experiment_of(c) == &experiment && file::names_file(c.variant))
            files.insert(c.variant);
        }
        lines.items.push_back({fmt::format("{} launches: {} in {}", experiment.name, launch.kernel,
                                           text::joined(files, ", "))});
      }
    }
    if (!experiment.command) continue;
    const auto& command = *experiment.command;
    const auto add = [&](const std::string& what, const std::string& text) {
      lines.items.push_back({fmt::format("{} {} {}", experiment.name, what, text)});
    };
    for (const auto& [what, words] : {std::pair{"sets up:", &command.setup},
                                      {"runs:", &command.words},
                                      {"cleans up:", &command.cleanup}}) {
      if (!words->empty()) add(what, text::shell_line(*words));
    }
    if (!command.cwd.empty()) add("in:", command.cwd);
    for (const auto& [name, value] : command.env) add("with:", name + "=" + value);
    if (command.finds_cases())
      add("finds its cases", fmt::format("when it runs ({})", to_string(command.reads)));
  }
  return lines;
}

}  // namespace

std::string time_text(const plan::TimeRange& time, double others, double processors) {
  constexpr double off = 2;
  const double most_s = std::max(off * time.least_s, time.most_s);
  const auto least = text::format_duration(time.least_s / off);
  const auto most = text::format_duration(most_s);
  const auto range = least == most ? least : least + " to " + most;
  const double slower = (others + 1) / processors;
  if (slower <= 1 || !(most_s > 0)) return range;
  return range + ", or up to " + text::format_duration(slower * most_s) +
         fmt::format(" if other programs keep the machine as busy as now (load {:.1f}, {})", others,
                     text::counted(static_cast<std::size_t>(processors), "processor"));
}

std::string run_time_text(const Plan& plan, const Registry& registry) {
  return time_text(plan::estimate_run(plan, registry), waiting_processes(),
                   std::max(1U, std::thread::hardware_concurrency()));
}

namespace {

/// How many cases would run, their time and the largest one's needs, as far as known.
std::string what_would_run(const Plan& plan, const Registry& registry, std::size_t runs,
                           const plan::CaseMemory& peak) {
  constexpr const char* nothing = " Nothing was run.";
  if (runs == 0) return std::string("No case would run.") + nothing;
  const auto commands = std::ranges::count_if(
      plan.experiments, [](const auto& experiment) { return experiment.command.has_value(); });
  auto text = text::counted(runs, "case") + " would run";
  if (commands == static_cast<std::ptrdiff_t>(plan.experiments.size()))
    return text + "; the time of the commands is unknown." + nothing;
  text += ", about " + run_time_text(plan, registry);
  if (commands > 0) text += " plus the time of the commands, which is unknown";
  return text + fmt::format("; the largest case needs {} of device memory and {} of host memory.{}",
                            text::format_bytes(static_cast<double>(peak.device_bytes)),
                            text::format_bytes(static_cast<double>(peak.host_bytes)), nothing);
}

}  // namespace

std::size_t print_plan(const Plan& plan, const Registry& registry,
                       const show::ConsoleStyle& style) {
  plan::CaseMemory peak;
  std::size_t runs = 0;
  std::map<std::string, std::size_t> skipped;
  show::Table cases{.columns = {{.name = "case", .align = show::Align::left, .key = true},
                                {.name = "device memory"},
                                {.name = "host memory"}}};
  for (const auto& c : plan.cases) {
    if (!c.skip.empty()) {
      ++skipped[c.skip];
      continue;
    }
    const auto memory = plan::memory_of(plan, c, registry);
    peak.device_bytes = std::max(peak.device_bytes, memory.device_bytes);
    peak.host_bytes = std::max(peak.host_bytes, memory.host_bytes);
    if (runs++ >= cases_shown) continue;
    cases.rows.push_back(
        {{{.text = c.id}, bytes_cell(memory.device_bytes), bytes_cell(memory.host_bytes)}});
  }

  show::Document document;
  document.add(show::Heading{.title = {plan.name}, .detail = plan.description});
  document.add(std::move(cases));
  show::List rest;
  if (runs > cases_shown)
    rest.items.push_back({fmt::format("... and {} more", runs - cases_shown)});
  const bool is_said_below = runs == 0 && skipped.size() == 1;
  for (const auto& [reason, count] : skipped) {
    if (!is_said_below) rest.items.push_back({fmt::format("{} skipped: {}", count, reason)});
  }
  document.add(std::move(rest));
  auto commands = commands_of(plan);
  document.add(std::move(commands));
  document.add(show::Paragraph{what_would_run(plan, registry, runs, peak), true});
  show::render_terminal(std::cout, document, style);
  if (runs == 0 && !skipped.empty())
    say("all cases are skipped" + (is_said_below ? ": " + skipped.begin()->first : ""));
  return runs;
}

namespace {

using show::Document;
using show::Entries;
using show::Heading;

void section(Document& document, const std::string& title) {
  document.add(Heading{.level = 2, .title = {title}});
}

/// What the variant is, and why it can't be run here if it can't.
std::string text_of(const VariantEntry& variant) {
  const auto missing = variant.missing ? variant.missing() : std::string();
  if (!missing.empty())
    return variant.summary + (variant.summary.empty() ? "(" : " (") + missing + ")";
  return variant.make ? variant.summary : "(not in this build, which has no CUDA)";
}

std::string values_of(const AxisSpec& axis) {
  switch (axis.kind) {
    case AxisSpec::Kind::choice:
      return text::joined(axis.choices, " | ");
    case AxisSpec::Kind::shape:
      return "ROWSxCOLS";
    case AxisSpec::Kind::integer:
      break;
  }
  return fmt::format("{}..{}", axis.min, axis.max);
}

Entries::Entry entry_of(const AxisSpec& axis, const std::string& note = "") {
  return {axis.name, fmt::format("{} ({}; default {}){}", axis.help, values_of(axis),
                                 to_string(axis.default_value), note)};
}

Document list_family(const Registry& registry, const Family& family) {
  Document document;
  document.add(Entries{{{std::string(family.name()), std::string(family.summary())}}});
  Entries variants{.depth = 1};
  for (const auto* variant : registry.variants(family.name())) {
    variants.items.push_back(
        {fmt::format("{:<18} {:<4}", variant->name, to_string(variant->backend)),
         text_of(*variant)});
  }
  document.add(std::move(variants));
  Entries axes{.depth = 2};
  for (const auto& axis : family.axes()) axes.items.push_back(entry_of(axis));
  for (const auto& axis : axes_of_variants(registry, family.name()))
    axes.items.push_back(entry_of(axis));
  if (!axes.items.empty()) document.add(Entries{{{"axes"}}, 1});
  document.add(std::move(axes));
  return document;
}

/// The axes that the harness adds to those of `family`, the same for every workload.
Document list_common_axes(const Registry& registry, const Family& family) {
  Document document;
  section(document, "Axes of every workload");
  auto own = family.axes();
  for (auto& axis : axes_of_variants(registry, family.name())) own.push_back(std::move(axis));
  const auto of_kernels = axes_of(registry, family, Scope::kernel);
  Entries axes;
  for (auto& axis : axes_of(registry, family, Scope::end_to_end)) {
    if (find_axis(own, axis.name) != nullptr) continue;
    if (axis.name == "variant") {
      axes.items.push_back({axis.name, axis.help});
    } else {
      const bool everywhere = find_axis(of_kernels, axis.name) != nullptr;
      axes.items.push_back(entry_of(axis, everywhere ? "" : " [scope: end_to_end]"));
    }
  }
  document.add(std::move(axes));
  return document;
}

/// " [trace: true]", or nothing.
std::string flag_for(const FactInfo& fact) {
  for (const auto& way : measured_by) {
    if (way.needs == fact.needs) return fmt::format(" [{}: true]", way.flag);
  }
  return "";
}

Document list_facts() {
  Document document;
  section(document, "Facts that can be used in `expect`");
  Entries facts;
  for (const auto& fact : known_facts())
    facts.items.push_back({std::string(fact.name), std::string(fact.help) + flag_for(fact)});
  const auto with_interval = text::joined(
      known_facts() | std::views::filter(&FactInfo::has_interval), ", ", &FactInfo::name);
  facts.items.push_back(
      {"NAME_low, NAME_high",
       "the lower and upper end of the 95 % interval (if there is one) of " + with_interval});
  document.add(std::move(facts));
  section(document,
          "Findings of a traced case; in `expect`, write findings: ID, \"!= ID\" or none");
  Entries findings;
  for (const auto& finding : known_findings())
    findings.items.push_back({std::string(finding.id), std::string(finding.help)});
  document.add(std::move(findings));
  return document;
}

/// The `description:` of a shipped file. Read as text: a list must be quick, and a shipped file
/// that is broken is still listed.
std::string description_of(const std::filesystem::path& path) {
  os::InputFile file(path.string());
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

Document list_configs() {
  Document document;
  for (const auto& folder : config_folders()) {
    Entries entries;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() != ".yaml") continue;
      entries.items.push_back({entry.path().filename().string(), description_of(entry.path())});
    }
    std::ranges::sort(entries.items, [](const auto& a, const auto& b) { return a.name < b.name; });
    section(document, "Shipped configs (" + folder + ")");
    document.add(std::move(entries));
  }
  return document;
}

std::vector<std::string> names_of(const Registry& registry) {
  std::vector<std::string> names;
  for (const auto* family : registry.families()) names.emplace_back(family->name());
  return names;
}

const char* const any_program =
    "any program, with your own axes: workload: {command: [./app, \"--n={size}\"]} "
    "(docs/any-command.md)";

Document list_workloads(const Registry& registry) {
  Document document;
  section(document, "Workloads (bench --list WORKLOAD: its variants and axes)");
  Entries entries;
  for (const auto* family : registry.families())
    entries.items.push_back({std::string(family->name()), std::string(family->summary())});
  entries.items.push_back({"command", any_program});
  document.add(std::move(entries));
  return document;
}

Document list_all(const Registry& registry) {
  auto document = list_configs();
  const auto families = registry.families();
  section(document, "Workloads, their variants and axes");
  for (const auto* family : families) document.append(list_family(registry, *family));
  document.add(Entries{{{"command", any_program}}});
  if (!families.empty()) document.append(list_common_axes(registry, *families.front()));
  document.append(list_facts());
  return document;
}

Document document_of(const Registry& registry, const std::string& what) {
  if (what.empty()) {
    auto document = list_configs();
    document.append(list_workloads(registry));
    section(document,
            "bench --list facts: facts and findings for expect; bench --list all: everything");
    return document;
  }
  if (what == "all") return list_all(registry);
  if (what == "facts") return list_facts();
  const auto* family = registry.family(what);
  if (family == nullptr) {
    auto words = names_of(registry);
    words.insert(words.end(), {"facts", "all"});
    refuse_word("--list", what, words);
  }
  auto document = list_family(registry, *family);
  document.append(list_common_axes(registry, *family));
  return document;
}

}  // namespace

int list(const Registry& registry, const std::string& what, show::ConsoleStyle style) {
  constexpr int widest = 100;  // longer lines are hard to read
  if (style.width) style.width = std::min(*style.width, widest);
  show::render_terminal(std::cout, document_of(registry, what), style);
  return ExitCode::success;
}

void warn_of_strays(const Registry& registry) {
  for (const auto* variant : registry.strays()) {
    const auto near = text::closest(variant->family, names_of(registry));
    say("variant " + variant->name + " names the family '" + variant->family +
        "', which does not exist" + text::in_brackets(text::did_you_mean(near)));
  }
}

}  // namespace apod::cli
