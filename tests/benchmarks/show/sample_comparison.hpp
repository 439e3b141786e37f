#pragma once

#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/comparison.hpp"

namespace apod::show {

/// A case of `base_s` seconds that changed by `change` ± `half`, judged on twelve processes a side.
inline CaseComparison judged_case(std::string name, Verdict verdict, double base_s, double change,
                                  double half) {
  CaseComparison c;
  c.name = std::move(name);
  c.verdict = verdict;
  c.base_s = base_s;
  c.new_s = base_s * (1 + change);
  c.base_units = c.new_units = 12;
  c.noise_source = NoiseSource::processes;
  c.change = {change, change - half, change + half};
  const bool sure = verdict == Verdict::regression || verdict == Verdict::improvement ||
                    verdict == Verdict::small;
  c.p = sure ? 2e-6 : 0.4;
  c.p_adjusted = sure ? 1.6e-5 : 1;
  c.q = sure ? 8e-6 : 0.5;
  c.threshold = 0.01;
  c.detectable = 0.0123;
  return c;
}

/// A case that only one side has, or that can't be compared.
inline CaseComparison other_case(std::string name, Verdict verdict, std::string reason) {
  CaseComparison c;
  c.name = std::move(name);
  c.verdict = verdict;
  c.reason = std::move(reason);
  c.threshold = 0.01;
  return c;
}

/// Every verdict, causes, warnings, an environment that differs.
inline Comparison sample_comparison() {
  Comparison comparison;
  comparison.base = "monday/streams.json";
  comparison.new_side = "tuesday/streams.json";
  comparison.base_environment = {
      {"commit", {"1a2b3c4"}},
      {"date", {"2026-03-01T12:00:00+00:00", "2026-03-02T12:00:00+00:00"}},
      {"description", {"Do streams pay?"}},
      {"driver", {"580.95.05"}},
      {"gpu", {"A GPU"}},
      {"host", {"lab-7"}}};
  comparison.new_environment = comparison.base_environment;
  comparison.new_environment["commit"] = {"5d6e7f8"};
  comparison.new_environment["date"] = {"2026-03-03T12:00:00+00:00"};
  comparison.new_environment["host"] = {"lab-8"};
  comparison.method = CompareMethod::confirmed;
  comparison.to_confirm = 4;
  comparison.environment = {"commit 1a2b3c4 -> 5d6e7f8", "host lab-7 -> lab-8"};
  comparison.notes = {"tuesday/streams.json: one case was skipped there"};
  comparison.next_step = "measure the suspects again";
  comparison.common = {Verdict::within_noise,
                       false,
                       0.012,
                       -0.004,
                       0.028,
                       0.3,
                       7,
                       "streams/4",
                       {{"sm_clock", "SM clock 1980 MHz -> 1830 MHz (-7.6 %), worse"}}};
  auto& cases = comparison.cases;
  cases.push_back(judged_case("streams/1", Verdict::unchanged, 1.2e-3, 0.0004, 0.003));
  cases.push_back(judged_case("streams/2", Verdict::regression, 6.5e-4, 0.021, 0.004));
  cases.back().causes = {{"none", "kernel binary and all recorded facts are equal"}};
  cases.push_back(judged_case("streams/4", Verdict::regression, 3.4e-4, 0.0612, 0.008));
  cases.back().causes = {{"host_memory", "copies went from pinned to pageable host memory"},
                         {"sm_clock", "SM clock 1980 MHz -> 1830 MHz (-7.6 %), worse"}};
  cases.back().warnings = {"throttled in 3 of 12 processes"};
  cases.push_back(judged_case("streams/8", Verdict::improvement, 2.1e-4, -0.031, 0.006));
  cases.back().causes = {{"distinct_streams", "distinct streams 1 -> 8"}};
  cases.push_back(judged_case("streams/16", Verdict::small, 1.9e-4, -0.004, 0.001));
  cases.push_back(judged_case("streams/32", Verdict::inconclusive, 1.8e-4, 0.012, 0.03));
  cases.back().units_needed = 48;
  cases.back().detectable = 0.045;
  cases.push_back(judged_case("streams/64", Verdict::inconclusive, 1.8e-4, -0.002, 0.04));
  cases.back().detectable.reset();
  cases.push_back(
      other_case("pageable/1", Verdict::missing, "the new side does not have this case"));
  cases.push_back(other_case("pinned/1", Verdict::invalid, "data seed 1 -> 2"));
  cases.push_back(other_case("managed/1", Verdict::added, ""));
  return comparison;
}

/// `count` cases of `verdict`, named as long as such names are.
inline Comparison comparison_of(std::size_t count, Verdict verdict) {
  Comparison comparison;
  comparison.cases.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name =
        "reduction/warp_shuffle/size=100000000/accumulator=fp64/host_memory=pinned/case=" +
        std::to_string(i);
    const bool one_sided =
        verdict == Verdict::missing || verdict == Verdict::added || verdict == Verdict::invalid;
    comparison.cases.push_back(one_sided ? other_case(name, verdict, "no such case")
                                         : judged_case(name, verdict, 1e-3, 0.05, 0.01));
    comparison.cases.back().causes = {
        {"sm_clock", "SM clock 1980 MHz -> 1830 MHz (-7.6 %), worse"}};
  }
  return comparison;
}

/// Names, reasons and notes made of what each format takes for its own, and of bytes that are no
/// text.
inline const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts{
      "",
      " ",
      "a b\tc\nd\r\ne",
      "]]>",
      "<![CDATA[ &amp; <b>\"x\"</b> 'y'",
      "| a | b |\n|---|---|",
      "`code` **bold** [link](x) <script>",
      "::error title=x::y",
      "100% %0A , : ;",
      std::string("nul\0inside", 10),
      "\x1B[31mred\x1B[0m\x07",
      "\xFF\xFE broken \xC3",
      "\xEF\xBF\xBE and \xEF\xBF\xBF",
      "\xED\xA0\x80 surrogate",
      "grün 测试 🚀 \xC2\x85 \xE2\x80\xA8",
      "{\"json\": \\\"x\\\"}",
      std::string(500, 'x'),
  };
  return texts;
}

inline Comparison hostile_comparison() {
  Comparison comparison;
  comparison.notes = hostile_texts();
  comparison.base = hostile_texts()[4];
  comparison.new_side = hostile_texts()[11];
  for (std::size_t i = 0; i < hostile_texts().size(); ++i) {
    const std::string& text = hostile_texts()[i];
    const auto verdict = static_cast<Verdict>(i % EnumNames<Verdict>::names.size());
    auto c = judged_case(text, verdict, 1e-3, 0.05, 0.01);
    c.reason = text;
    c.causes = {{text, text}};
    c.warnings = {text};
    comparison.cases.push_back(std::move(c));
  }
  return comparison;
}

}  // namespace apod::show
