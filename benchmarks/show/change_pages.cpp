#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/about.hpp"
#include "benchmarks/show/below_tables.hpp"
#include "benchmarks/show/comparison_report.hpp"
#include "benchmarks/show/comparison_view.hpp"
#include "benchmarks/show/figures.hpp"
#include "benchmarks/show/trend.hpp"

namespace apod::show {
namespace {

constexpr std::size_t most_trends = 12;
constexpr std::size_t most_causes = 20;
/// Histories of fewer cases show the trend of each, changed or not.
constexpr std::size_t few_histories = 6;

/// What came with the changes: findings that came or went, kernels whose machine code changed, and
/// all else that several changed cases have in common, the most frequent first.
void add_causes(Document& document, const Comparison& comparison) {
  struct Shared {
    std::string text;
    std::string first;
    std::size_t cases = 0;
  };
  std::vector<Shared> all;
  std::string equal;  // said where nothing differs
  for (const auto& c : comparison.cases) {
    if (!is_change(c.verdict)) continue;
    for (const auto& cause : c.causes) {
      if (cause.fact == "none") equal = cause.text;
      if (cause.fact == "none" || cause.fact == "kernel" || cause.fact == "unknown") continue;
      auto found = std::find_if(all.begin(), all.end(),
                                [&](const Shared& shared) { return shared.text == cause.text; });
      if (found == all.end()) {
        found = all.insert(all.end(), {cause.text, name_of(comparison, c), 0});
      }
      ++found->cases;
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Shared& a, const Shared& b) { return a.cases > b.cases; });
  Table table{.columns = {{.name = "what came with the changes", .align = Align::left, .key = true},
                          {"cases"},
                          {.name = "first", .align = Align::left, .key = true}}};
  for (const auto& shared : all) {
    if (table.rows.size() == most_causes) break;
    table.rows.push_back({{{shared.text}, {std::to_string(shared.cases)}, {shared.first}}});
  }
  if (table.rows.empty() && equal.empty()) return;
  document.add(Heading{2, {"causes"}});
  if (table.rows.empty()) document.add(Paragraph{"none was recorded: " + equal});
  document.add(std::move(table));
  if (all.size() > most_causes) {
    document.add(Paragraph{Span{
        fmt::format("and {} more, each below its case", all.size() - most_causes), Tone::dim}});
  }
}

/// The document in parts: each begins with a heading of level 1 or 2.
std::vector<Document> sections_of(Document document) {
  std::vector<Document> sections;
  for (auto& block : document.blocks) {
    const auto* heading = std::get_if<Heading>(&block);
    if (sections.empty() || (heading != nullptr && heading->level == 2)) sections.emplace_back();
    sections.back().blocks.push_back(std::move(block));
  }
  return sections;
}

}  // namespace

Document comparison_page(const Comparison& comparison) {
  Document document;
  auto all = comparison_document(comparison, false);
  explain_commands(all);
  auto sections = sections_of(std::move(all));
  auto& head = sections.front();
  // The verdict first, and what else was counted below it.
  auto& verdict = std::get<Heading>(head.blocks.front()).title.text;
  const auto end = verdict.find("; ");
  const std::string rest = end == std::string::npos ? "" : verdict.substr(end + 2);
  verdict.resize(std::min(end, verdict.size()));
  if (!rest.empty()) head.blocks.insert(head.blocks.begin() + 1, Paragraph{rest});
  document.append(std::move(head));
  document.add(changes_figure(comparison));
  // What changed, then why, then all else.
  const auto changed =
      std::find_if(sections.begin() + 1, sections.end(), [](const Document& section) {
        return section.blocks.size() > 1 && std::holds_alternative<Table>(section.blocks[1]);
      });
  if (changed != sections.end()) std::rotate(sections.begin() + 1, changed, changed + 1);
  for (std::size_t i = 1; i < sections.size(); ++i) {
    document.append(std::move(sections[i]));
    if (i == 1) add_causes(document, comparison);
  }
  auto sides = sides_table(comparison.base_environment, comparison.new_environment);
  if (!sides.rows.empty()) document.add(Heading{2, {"both sides"}});
  document.add(std::move(sides));
  if (!comparison.command_line.empty()) {
    document.add(Heading{2, {"repeat this"}});
    document.add(Code{text::shell_line(comparison.command_line)});
  }
  return document;
}

Document history_page(const History& history) {
  Document document;
  Document all = history_document(history);
  std::size_t tables = 0;
  for (auto& block : all.blocks) {
    const bool is_table = std::holds_alternative<Table>(block);
    tables += is_table ? 1 : 0;
    document.add(std::move(block));
    if (!is_table || tables > 1) continue;
    std::size_t drawn = 0;
    // Those that changed come first.
    std::vector<const CaseHistory*> ordered;
    for (const CaseHistory& c : history.cases) ordered.push_back(&c);
    std::stable_partition(ordered.begin(), ordered.end(),
                          [](const CaseHistory* c) { return c->changes() > 0; });
    for (const CaseHistory* one : ordered) {
      const CaseHistory& c = *one;
      const bool worth = c.changes() > 0 || history.cases.size() <= few_histories;
      if (!worth || c.segments.empty() || c.points.size() < 2 || drawn == most_trends) continue;
      ++drawn;
      document.add(trend_figure(c));
    }
  }
  return document;
}

}  // namespace apod::show
