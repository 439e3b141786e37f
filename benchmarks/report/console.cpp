#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "benchmarks/report/case_table.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::report {
namespace {

/// The parts of the console report that share its stream and style.
class ConsoleReport {
 public:
  ConsoleReport(std::ostream& out, const ConsoleStyle& style) : out_(out), style_(style) {}

  void header(const Result& result) {
    title(result.plan.name, result.plan.description);
    dim(device_line(result.environment), 0);
  }

  void experiment(const ExperimentView& view) {
    out_ << '\n';
    title(view.title, view.method);
    if (!view.common.empty()) dim("all with " + view.common, 2);
    if (view.table.rows.empty()) {
      dim("no case was measured", 2);
    } else {
      print(out_, view.table, style_);
    }
  }

  void digest(const Digest& digest) {
    section("failed", digest.failed, Tone::bad);
    for (const auto& failure : digest.failures) {
      out_ << "  " << failure.reason << '\n';
      // In full, however long: a person copies it into --filter.
      for (const auto& id : failure.ids) out_ << "    " << paint(id, Tone::dim, style_) << '\n';
    }
    section("skipped", digest.skipped, Tone::title);
    groups(digest.skips, Tone::plain);
    expectations(digest);
    section("notes", digest.notes.size(), Tone::warning);
    groups(digest.notes, Tone::plain);
  }

 private:
  void title(const std::string& name, const std::string& detail) {
    const std::string head = text::printable(name);
    const std::string text = text::printable(detail);
    const bool fits = text::display_width(head) + 2 + text::display_width(text) <= width();
    out_ << paint(head, Tone::title, style_);
    if (!text.empty() && fits) out_ << "  " << text;
    out_ << '\n';
    if (text.empty() || fits) return;
    for (const std::string& line : text::wrap(text, width() - 2)) {
      out_ << "  " << text::shorten(line, width() - 2) << '\n';
    }
  }

  void dim(const std::string& text, std::size_t indent) {
    out_ << text::repeat(" ", indent)
         << paint(text::shorten(text, width() - indent), Tone::dim, style_) << '\n';
  }

  void section(const std::string& name, std::size_t count, Tone tone) {
    if (count > 0) out_ << '\n' << paint(fmt::format("{} ({})", name, count), tone, style_) << '\n';
  }

  void groups(const std::vector<Group>& groups, Tone tone) {
    for (const Group& group : groups) {
      out_ << "  " << paint(group.text, tone, style_) << '\n';
      if (group.first.empty()) continue;
      const std::string where =
          group.count == 1 ? "in " + group.first
                           : fmt::format("in {} cases, first {}", group.count, group.first);
      dim(where, 4);
    }
  }

  void expectations(const Digest& digest) {
    const std::size_t missed = digest.missed.size();
    if (missed + digest.expectations_met == 0) return;
    const std::string head =
        fmt::format("expectations ({} met, {} missed)", digest.expectations_met, missed);
    out_ << '\n' << paint(head, missed > 0 ? Tone::bad : Tone::good, style_) << '\n';
    std::string last;  // a rule that many cases miss is said once
    for (const Digest::Miss& miss : digest.missed) {
      const std::string rule = (miss.where.empty() ? "" : miss.where + ": ") + miss.rule;
      if (rule != last) out_ << "  " << rule << '\n';
      last = rule;
      out_ << "    " << paint(miss.observed, Tone::bad, style_) << '\n';
      if (!miss.id.empty()) dim("in " + miss.id, 6);
    }
  }

  /// At least as wide as the indents, so that what is left of it is never negative.
  std::size_t width() const { return static_cast<std::size_t>(std::max(style_.width, 20)); }

  std::ostream& out_;
  const ConsoleStyle& style_;
};

}  // namespace

void write_console(std::ostream& out, const Result& result, const ConsoleStyle& style) {
  const std::vector<CaseSummary> summaries = summarize(result);
  const Digest all = digest(result, summaries);
  ConsoleReport report(out, style);
  report.header(result);
  for (std::size_t i = 0; i < result.plan.experiments.size(); ++i) {
    if (has_cases(result, i)) report.experiment(view_of(result, i, summaries));
  }
  report.digest(all);
  out << '\n' << paint(last_line(all, result), Tone::title, style) << '\n';
}

}  // namespace apod::report
