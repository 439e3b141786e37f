#include "benchmarks/judge/confirm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "benchmarks/judge/blocks.hpp"

namespace apod::judge {
namespace {

/// Why blocks do not say anything of a case; empty where they do.
std::string why_unjudged(const CaseComparison* c, const Comparison& blocks) {
  if (c != nullptr && c->replicate == Replicate::block && c->base_units >= least_blocks) return "";
  if (c != nullptr && c->verdict == Verdict::invalid) return "";
  if (!blocks.failure.empty()) return blocks.failure;
  if (blocks.interrupted) return "the comparison was interrupted";
  return c == nullptr || c->reason.empty() ? "no complete block of this case was measured"
                                           : c->reason;
}

void judge_anew(CaseComparison& c, const CaseComparison* block, const Comparison& blocks) {
  const auto said = fmt::format("the files show a change of {:+.1f} %", 100 * c.change.value);
  const auto why = why_unjudged(block, blocks);
  if (!why.empty()) {
    c.verdict = Verdict::inconclusive;
    c.reason = said + ", which was not measured again: " + why;
    return;
  }
  c = *block;
  const auto judged = fmt::format("decided from {} new blocks; {}", c.base_units, said);
  c.reason = c.reason.empty() ? judged : c.reason + "; " + (c.base_units > 0 ? judged : said);
}

template <class Lines>
void append(const Lines& more, std::vector<std::string>& lines) {
  for (const auto& line : more) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
}

}  // namespace

std::vector<std::string> suspects_of(const Comparison& files) {
  std::vector<std::string> names;
  for (const auto& c : files.cases) {
    const bool compared = c.verdict != Verdict::invalid && c.base_s > 0 && c.new_s > 0;
    const double change = std::abs(std::log1p(c.change.value));
    if (compared && change >= suspicious_share * std::log1p(c.threshold)) names.push_back(c.name);
  }
  return names;
}

Comparison confirmed(Comparison files, const std::vector<std::string>& suspects,
                     const Comparison& blocks) {
  files.method = CompareMethod::confirmed;
  files.common.reset();  // whatever all cases share in the files, fresh blocks judge each by itself
  files.next_step.clear();
  files.to_confirm = suspects.size();
  if (suspects.empty()) {
    files.notes.emplace_back("the files show no possible change: nothing was measured again");
    return files;
  }
  std::unordered_map<std::string, const CaseComparison*> judged;
  for (const auto& c : blocks.cases) judged.emplace(c.name, &c);
  std::unordered_map<std::string, CaseComparison*> cases;
  for (auto& c : files.cases) cases.emplace(c.name, &c);
  std::size_t confirmed = 0;
  for (const auto& name : suspects) {
    const auto block = judged.find(name);
    auto& c = *cases.at(name);
    judge_anew(c, block == judged.end() ? nullptr : block->second, blocks);
    confirmed += c.replicate == Replicate::block ? 1 : 0;
  }
  files.seed = blocks.seed;
  files.interrupted = blocks.interrupted;
  files.failure = blocks.failure;
  if (confirmed == 0 && files.failure.empty() && !files.interrupted)
    files.failure = "no suspect case could be measured again";
  append(blocks.environment, files.environment);
  files.notes.push_back(
      fmt::format("the files show a possible change in {} of {} {}; {} measured again side by side "
                  "and judged from the new times alone{}",
                  suspects.size(), files.cases.size(), files.cases.size() == 1 ? "case" : "cases",
                  confirmed == 1 ? "1 was" : fmt::format("{} were", confirmed),
                  blocks.base.empty() ? "" : ": " + blocks.base + " -> " + blocks.new_side));
  append(blocks.notes, files.notes);
  return files;
}

}  // namespace apod::judge
