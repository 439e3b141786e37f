#include "benchmarks/show/again.hpp"

#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/comparison_view.hpp"

namespace apod::show {
namespace {

/// `name` as a regular expression that matches nothing else; of one that is too long its beginning.
/// A ladder's name lacks the axis in which its arms differ, which `lacks` allows anywhere.
std::string exactly(const std::string& name, bool lacks) {
  const char* part = lacks ? "(/[^/]*)?" : "";
  std::string pattern = "^";
  for (const char c : name) {
    const auto next = (c == '/' ? part : "") + text::literal({&c, 1});
    if (pattern.size() + next.size() > text::longest_expression) {
      const auto is_inner = [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
      };
      if (is_inner(c)) {  // no half of a character
        while (!pattern.empty() && is_inner(pattern.back())) pattern.pop_back();
        if (!pattern.empty()) pattern.pop_back();
      }
      return pattern;
    }
    pattern += next;
  }
  const std::string end = part + std::string("$");
  return pattern.size() + end.size() > text::longest_expression ? pattern : pattern + end;
}

/// `line` for what `filter` matches, without the files and forms that it was to write: these are of
/// all cases.
std::string narrowed(std::vector<std::string> line, const std::string& filter) {
  for (const char* flag :
       {"--out", "-o", "--trace-out", "--format", "--filter", "--only", "--shard",
        "--benchmark_filter", "--benchmark_out", "--benchmark_format", "--benchmark_out_format"}) {
    text::drop_flag(line, flag, true);
  }
  text::drop_flag(line, "--resume", false);
  line.insert(line.end(), {"--filter", filter});
  return text::shell_line(line);
}

}  // namespace

std::string again(const Result& result, const Case& c) {
  const Plan& plan = result.plan;
  if (plan.config_text.empty()) return "";
  auto line = result.command_line;
  // Files of before don't say how they were made.
  if (line.empty()) line = {"bench", "--config", plan.config_path};
  return narrowed(std::move(line), exactly(c.id, false));
}

std::string again(const Comparison& comparison, const CaseComparison& c) {
  const bool on_both_sides = c.verdict != Verdict::missing && c.verdict != Verdict::added;
  if (comparison.command_line.empty() || !on_both_sides) return "";
  const auto step = step_of(comparison, c.name);
  return narrowed(comparison.command_line, exactly(step.name, !step.axis.empty()));
}

}  // namespace apod::show
