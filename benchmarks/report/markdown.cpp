#include <fmt/format.h>

#include <ostream>

#include "benchmarks/report/case_table.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::report {
namespace {

std::string escaped(const std::string& text) {
  return escape_markdown(text::printable(text));
}

void write_groups(std::ostream& out, const std::string& name, std::size_t count,
                  const std::vector<Group>& groups) {
  if (groups.empty()) return;
  out << fmt::format("\n### {} ({})\n\n", name, count);
  for (const Group& group : groups) {
    out << "- " << escape_markdown(group.text);
    if (!group.first.empty()) {
      const std::string many = group.count > 1 ? fmt::format("{} cases, first ", group.count) : "";
      out << " (" << many << escape_markdown(group.first) << ")";
    }
    out << '\n';
  }
}

void write_expectations(std::ostream& out, const Digest& digest) {
  if (digest.missed.empty() && digest.expectations_met == 0) return;
  out << fmt::format("\n### Expectations ({} met, {} missed)\n\n", digest.expectations_met,
                     digest.missed.size());
  if (digest.missed.empty()) out << "All expectations are met.\n";
  for (const Digest::Miss& miss : digest.missed) {
    out << "- " << escape_markdown(miss.rule) << ": " << escape_markdown(miss.observed);
    if (!miss.id.empty()) out << " in " << escape_markdown(miss.id);
    if (!miss.where.empty()) out << " (" << escape_markdown(miss.where) << ")";
    out << '\n';
  }
}

}  // namespace

void write_markdown(std::ostream& out, const Result& result) {
  const std::vector<CaseSummary> summaries = summarize(result);
  const Digest all = digest(result, summaries);
  out << "## " << escaped(result.plan.name) << "\n\n";
  if (!result.plan.description.empty()) out << escaped(result.plan.description) << "\n\n";
  out << "- device: " << escaped(device_line(result.environment)) << '\n';
  out << "- config: " << escaped(result.plan.config_path) << '\n';
  out << "- date: " << escaped(result.environment.date) << '\n';
  out << "- outcome: " << last_line(all, result) << '\n';

  for (std::size_t i = 0; i < result.plan.experiments.size(); ++i) {
    if (!has_cases(result, i)) continue;
    const ExperimentView view = view_of(result, i, summaries);
    out << "\n### " << escape_markdown(view.title) << "\n\n" << escape_markdown(view.method);
    if (!view.common.empty()) out << "  \nall with " << escape_markdown(view.common);
    out << "\n\n";
    if (view.table.rows.empty()) {
      out << "No case was measured.\n";
    } else {
      print_markdown(out, view.table);
    }
  }
  if (!all.failures.empty()) {
    out << fmt::format("\n### Failed ({})\n\n", all.failed);
    for (const auto& failure : all.failures) {
      out << "- " << escape_markdown(failure.reason) << '\n';
      for (const auto& id : failure.ids) out << "  - " << escape_markdown(id) << '\n';
    }
  }
  write_groups(out, "Skipped", all.skipped, all.skips);
  write_expectations(out, all);
  write_groups(out, "Notes", all.notes.size(), all.notes);
}

}  // namespace apod::report
