#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/comparison_report.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::show {
namespace {

const CommitStep& largest(const Bisection& bisection) {
  return *std::ranges::max_element(bisection.steps, {},
                                   [](const auto& step) { return step.change.value; });
}

std::string id_of(const Bisection& bisection, std::size_t commit) {
  return bisection.commits[commit].commit.short_id();
}

/// "slower by 5.1 % (4.8 to 5.4)".
std::string change_words(const Estimate& change) {
  // What is written as 0.0 is not faster.
  const bool slower = change.value > -5e-4;
  const double sign = slower ? 100 : -100;
  auto words = fmt::format("{} by {:.1f} %", slower ? "slower" : "faster",
                           std::max(0.0, sign * change.value));
  if (!std::isfinite(change.low) || !std::isfinite(change.high) || change.low <= -1) return words;
  const auto [from, to] = std::minmax({sign * change.low, sign * change.high});
  return words + fmt::format(" ({:.1f} to {:.1f})", from, to);
}

/// The commits of a step: one, or the range that skipped ones leave open.
std::string culprit(const Bisection& bisection, const CommitStep& step) {
  const auto id = id_of(bisection, step.after);
  if (step.after == step.before + 1) return id;
  return fmt::format("one of the commits {} to {} (all but the last were skipped)",
                     id_of(bisection, step.before + 1), id);
}

std::string case_words(const Bisection& bisection) {
  return text::shorten(text::printable(bisection.case_name), 120);
}

void add_step(Document& document, const Bisection& bisection, std::size_t index) {
  const auto& step = bisection.steps[index];
  Entries entries;
  for (auto i = step.before + 1; i <= step.after; ++i) {
    const auto& [id, author, date, subject, parents] = bisection.commits[i].commit;
    entries.items.push_back({"commit", id});
    entries.items.push_back({"author", author});
    entries.items.push_back({"date", date});
    entries.items.push_back({"subject", subject});
    if (parents > 1) entries.items.push_back({"merges", fmt::format("{} parents", parents)});
    if (i < step.after) entries.items.push_back({"skipped", bisection.commits[i].why});
  }
  entries.items.push_back({"change", change_words(step.change)});
  document.add(Heading{2, {culprit(bisection, step)}}, std::move(entries));
  if (index < bisection.again.size()) document.add(Code{bisection.again[index]});
}

Table commits_table(const Bisection& bisection) {
  Table table;
  table.columns = {{.name = "commit", .align = Align::left, .key = true},
                   {"subject", "", Align::left, 40},
                   {"blocks", "", Align::right, 60},
                   {"state", "", Align::left},
                   {"against its base", "", Align::left}};
  for (std::size_t i = 0; i < bisection.commits.size(); ++i) {
    const auto& c = bisection.commits[i];
    if (c.state == CommitState::untried) continue;
    const Tone tone = c.state == CommitState::bad ? Tone::bad : Tone::plain;
    table.rows.push_back(
        {{{c.commit.short_id()},
          {c.commit.subject},
          c.blocks > 0 ? Cell{std::to_string(c.blocks), Tone::plain, static_cast<double>(c.blocks)}
                       : Cell{},
          {std::string(to_string(c.state)), tone},
          {i == 0 ? "the good commit" : standing_text(bisection, i)}}});
  }
  return table;
}

Document bisection_document(const Bisection& bisection, Audience audience) {
  Document document;
  const bool found = bisection.end == BisectionEnd::found;
  document.add(Heading{1, {outcome_text(bisection), found ? Tone::bad : Tone::strong}});
  for (std::size_t i = 0; i < bisection.steps.size(); ++i) {
    add_step(document, bisection, i);
    document.append(comparison_document(bisection.comparisons[i], audience), 1);
  }
  document.add(Heading{2, {"the search"}}, commits_table(bisection));
  document.add(list_of(bisection.notes));
  return document;
}

/// What formats for programs get: the largest step, or the ends.
Comparison comparison_of(const Bisection& bisection) {
  Comparison comparison;
  if (!bisection.steps.empty()) {
    const auto& step = largest(bisection);
    comparison = bisection.comparisons[static_cast<std::size_t>(&step - bisection.steps.data())];
  } else {
    comparison.method = CompareMethod::blocks;
    comparison.base = bisection.commits.front().commit.id;
    comparison.new_side = bisection.commits.back().commit.id;
    comparison.interrupted = bisection.end == BisectionEnd::stopped;
    auto& c = comparison.cases.emplace_back();
    c.name = bisection.case_name;
    c.reason = outcome_text(bisection);
    c.threshold = bisection.threshold;
  }
  auto& notes = comparison.notes;
  notes.insert(notes.begin(), outcome_text(bisection));
  for (const auto& step : bisection.steps) {
    for (auto i = step.before + 1; i <= step.after; ++i) {
      const auto& commit = bisection.commits[i].commit;
      notes.push_back("commit " + commit.id + ", " + commit.author + ", " + commit.date + ": " +
                      commit.subject);
    }
  }
  for (std::size_t i = 1; i < bisection.commits.size(); ++i) {
    const auto& c = bisection.commits[i];
    if (c.state == CommitState::untried) continue;
    notes.push_back(c.commit.short_id() + " " + std::string(to_string(c.state)) + ": " +
                    standing_text(bisection, i));
  }
  for (const auto& again : bisection.again) notes.push_back("again: " + again);
  notes.insert(notes.end(), bisection.notes.begin(), bisection.notes.end());
  return comparison;
}

}  // namespace

std::string standing_text(const Bisection& bisection, std::size_t commit) {
  const auto& c = bisection.commits[commit];
  if (c.state == CommitState::skipped) return c.why.substr(0, c.why.find('\n'));
  if (c.same_code_as) return "the same code as " + id_of(bisection, *c.same_code_as);
  if (c.blocks == 0) return "";
  return change_words(c.change) + (c.base > 0 ? " than " + id_of(bisection, c.base) : "");
}

std::string outcome_text(const Bisection& bisection) {
  const auto share = text::format_quantity(bisection.threshold, text::Unit::share);
  const auto good = id_of(bisection, 0);
  const auto bad = id_of(bisection, bisection.commits.size() - 1);
  const auto measured = change_words(bisection.ends);
  switch (bisection.end) {
    case BisectionEnd::found: {
      const auto& step = largest(bisection);
      const auto others = bisection.steps.size() - 1;
      return fmt::format("FOUND: {} made {} {}{}", culprit(bisection, step), case_words(bisection),
                         change_words(step.change),
                         others > 0 ? fmt::format("; and {} more", others) : "");
    }
    case BisectionEnd::small:
      if (bisection.case_name.empty()) return "NOTHING TO FIND: no case is slower by " + share;
      if (bisection.ends.high < 0) {
        return fmt::format("NOTHING TO FIND: {} is {} than {} (swap --good and --bad)", bad,
                           measured, good);
      }
      return fmt::format("NOTHING TO FIND: {} is {} than {}, less than the threshold of {}", bad,
                         measured, good, share);
    case BisectionEnd::same_code:
      return fmt::format("NOTHING TO FIND: {} and {} have the same machine code", good, bad);
    case BisectionEnd::undecided:
      return fmt::format(
          "UNDECIDED: {} is {} than {}, too close to the threshold of {} (choose another "
          "--threshold)",
          bad, measured, good, share);
    case BisectionEnd::unconfirmed:
      return fmt::format(
          "NO SINGLE COMMIT: {} is {} than {}, but no single commit certainly changed the time: "
          "many commits may contribute",
          bad, measured, good);
    case BisectionEnd::no_end:
      return "NOT SEARCHED: the good or the bad commit does not build or run";
    case BisectionEnd::stopped:
      return fmt::format("INTERRUPTED: the first slow commit comes after {}, and no later than {}",
                         id_of(bisection, bisection.low), id_of(bisection, bisection.high));
  }
  return "";
}

Report report_of(const Bisection& bisection) {
  const auto comparison = std::make_shared<const Comparison>(comparison_of(bisection));
  Report report = report_of(*comparison);
  report.subject = comparison;
  report.frame.name = "bench bisect";
  report.document = [&bisection](Audience audience) {
    return bisection_document(bisection, audience);
  };
  return report;
}

}  // namespace apod::show
