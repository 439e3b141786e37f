#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "benchmarks/base/result.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/files/earlier_file.hpp"
#include "benchmarks/files/write_result.hpp"
#include "benchmarks/show/about.hpp"
#include "benchmarks/show/explanation.hpp"
#include "benchmarks/show/figures.hpp"
#include "benchmarks/show/report.hpp"
#include "benchmarks/show/run_result.hpp"

namespace apod::show {
namespace {

/// Lines whose values differ by this factor hide the changes of the lower ones.
constexpr double far_apart = 10;

/// The ids of the first few of them.
std::string names_of(const Cases& cases) {
  constexpr std::size_t most_ids = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(cases.size(), most_ids); ++i)
    names += (i == 0 ? "" : ", ") + cases[i]->info->id;
  if (cases.size() > most_ids) names += fmt::format(" and {} more", cases.size() - most_ids);
  return names;
}

/// What a reader must know before the numbers: that they are not all there, or were disturbed.
void add_cautions(Document& document, const Result& result,
                  const std::vector<CaseSummary>& summaries) {
  std::size_t not_run = 0;
  Cases throttled;
  Cases wide;
  Cases failed;
  for (const auto& summary : summaries) {
    not_run += summary.status == CaseStatus::not_run ? 1 : 0;
    if (summary.status == CaseStatus::failed) failed.push_back(&summary);
    if (summary.value("throttled") > 0) throttled.push_back(&summary);
    const auto& measure = result.plan.experiment_of(*summary.info).measure;
    if (summary.value("precision") > measure.precision) wide.push_back(&summary);
  }
  const auto caution = [&](const std::string& text) {
    document.add(Paragraph{Span{text, Tone::warning}});
  };
  const auto caution_of = [&](const std::string& what, const Cases& cases) {
    if (!cases.empty()) caution(what + ": " + names_of(cases) + ".");
  };
  if (is_measured_on_host(result.environment)) caution("Measured on the host, not on a GPU.");
  if (result.interrupted)
    caution(not_run == 0 ? "Interrupted."
                         : "Interrupted: " + text::counted(not_run, "case") + " did not run.");
  caution_of("Failed", failed);
  caution_of("Throttled while sampling", throttled);
  caution_of("Noisy (the interval is wider than the wanted precision)", wide);
}

void add_environment(Document& document, const Result& result) {
  const Environment& environment = result.environment;
  auto entries = device_entries(environment.device, result.ceilings ? &*result.ceilings : nullptr);
  entries.add("host", environment.host_name);
  entries.add("processor", environment.cpu_model);
  entries.add("system", environment.os);
  entries.add("compiler", environment.compiler);
  entries.add("CUDA compiler", environment.cuda_compiler);
  entries.add("program", environment.bench_version);
  entries.add("commit", environment.commit);
  entries.add("date", environment.date);
  for (const auto& [name, value] : environment.variables) entries.items.push_back({name, value});
  document.add(Heading{2, {"environment"}}, std::move(entries));
}

/// The file as it was run, and the command.
void add_repeat(Document& document, const Result& result) {
  const Plan& plan = result.plan;
  if (plan.config_text.empty()) return;
  document.add(Heading{.level = 2, .title = {"the experiment of this run"}, .folded = true});
  document.add(Paragraph{plan.config_path});
  document.add(Code{plan.config_text});
  document.add(Heading{2, {"repeat this"}}, Code{text::shell_line(result.command_line)});
}

/// The speed against the baselines, over an axis of numbers.
figure::Figure against_baseline(const Result& result, const Cases& cases, CurveChoice choice,
                                Page& page) {
  choice.y = "speedup";
  choice.log_y = true;
  const bool any = std::ranges::any_of(
      cases, [](const CaseSummary* summary) { return summary->fact("delta") != nullptr; });
  return any ? curve_figure(result, cases, choice, page) : figure::Figure{};
}

/// Whether the levels of lines are so far apart that changes of the lower ones can't be seen.
bool hides_lines(const figure::Figure& figure) {
  if (figure.by_rows()) return false;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const auto& panel : figure.panels) {
    for (const auto& series : panel.series) {
      double level = 0;
      for (const auto& point : series.points) level = std::max(level, point.y);
      if (!(level > 0)) continue;
      least = std::min(least, level);
      most = std::max(most, level);
    }
  }
  return most >= far_apart * least;
}

/// The experiment whose figure shows this one, too, because it has its baselines.
std::size_t drawn_with(const Result& result, std::size_t experiment) {
  for (const auto& c : result.plan.cases) {
    if (c.experiment == experiment && c.baseline)
      return result.plan.cases.at(*c.baseline).experiment;
  }
  return experiment;
}

void add_curves(Document& document, const Result& result, const std::vector<CaseSummary>& summaries,
                const CurveChoice& choice, Page& page) {
  bool refused = false;
  std::string why;
  std::size_t drawn = 0;
  const auto choices = shared_scales(result, summaries, choice, page);
  const auto& experiments = result.plan.experiments;
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    Cases cases;
    std::string names;
    for (std::size_t j = 0; j < experiments.size(); ++j) {
      if (drawn_with(result, j) != i) continue;
      const Cases more = measured_cases(summaries, j);
      cases.insert(cases.end(), more.begin(), more.end());
      names += (names.empty() ? "" : ", ") + experiments[j].name;
    }
    if (cases.empty()) continue;
    try {
      auto figure = curve_figure(result, cases, choices[i], page);
      if (experiments.size() > 1) figure.title = names + ": " + figure.title;
      drawn += figure.empty() ? 0 : 1;
      // Over many decades all lines look alike.
      const bool alike = figure.y.scale != figure::Scale::linear;
      const bool hidden = !alike && hides_lines(figure);
      figure::Figure against;
      if ((alike || hidden) && choice.y.empty())
        against = against_baseline(result, cases, choice, page);
      const bool compared = !against.empty();
      // The change that the headline is about comes first where the values don't show it.
      if (hidden && compared) std::swap(figure, against);
      if (hidden && compared && experiments.size() > 1) figure.title = names + ": " + figure.title;
      document.add(std::move(figure));
      document.add(std::move(against));
      if (compared) document.add(winners_table(result, cases, choice));
    } catch (const std::invalid_argument& error) {
      // Of several experiments, one has the axis that was asked for.
      refused = true;
      why = error.what();
    }
  }
  if (refused && drawn == 0) throw std::invalid_argument(why);
}

/// "; results verified in all 5", against a reference; empty where nothing was verified.
std::string verified_text(const std::vector<CaseSummary>& summaries) {
  std::size_t measured = 0;
  std::size_t verified = 0;
  for (const auto& summary : summaries) {
    if (summary.status != CaseStatus::measured) continue;
    ++measured;
    verified += !summary.verification.measure.empty() && summary.verification.passed ? 1 : 0;
  }
  if (verified == 0) return "";
  return verified == measured
             ? fmt::format("; results of all {} verified against a reference", verified)
             : fmt::format("; results of {} of {} verified against a reference", verified,
                           measured);
}

/// The answer in a sentence; curves of each experiment, rooflines; then the tables of cases, what
/// failed, expectations and notes; findings, profiles, samples, timeline, environment, the file as
/// it was run and its command. Throws std::invalid_argument for a choice that the cases don't have.
Document run_page(const Result& result, const CurveChoice& choice) {
  const auto summaries = summarize(result);
  Page page;
  Document document;
  const auto& question = result.plan.description;
  document.add(Heading{1, {question.empty() ? result.plan.name : question}});
  const auto answers = headlines(result, summaries);
  document.add(Paragraph{Span{answers.front() + ".", Tone::strong}});
  List others;
  for (std::size_t i = 1; i < answers.size(); ++i) others.items.push_back({answers[i] + "."});
  document.add(std::move(others));
  document.add(Paragraph{
      Span{outcome_line(summaries, result) + verified_text(summaries) +
               (result.expectations.empty() ? "" : "; expectations: " + expectations_text(result)),
           Tone::dim}});
  document.add(at_a_glance(result, summaries));
  add_cautions(document, result, summaries);
  add_curves(document, result, summaries, choice, page);
  document.add(lanes_figure(result, summaries, page));
  const auto rooflines = roofline_figures(result, summaries, page);
  if (!rooflines.empty()) document.add(Heading{2, {"roofline"}});
  for (const auto& figure : rooflines) document.add(figure);
  document.append(run_sections(result, summaries, {}, Audience::page));
  const bool explained = std::ranges::any_of(summaries, [](const auto& summary) {
    return !summary.findings.empty() || !summary.profile->empty();
  });
  auto profile = profile_figure(result, summaries, page);
  if (!profile.empty()) document.add(Heading{2, {"where the time goes"}}, std::move(profile));
  if (explained || is_thin(result)) document.append(explanation_document(result), 1);
  if (auto samples = samples_figure(result, summaries, page); !samples.empty()) {
    document.add(Heading{2, {"samples"}}, std::move(samples));
    document.add(Heading{.level = 3, .title = {"as distribution functions"}, .folded = true},
                 distribution_figure(result, summaries, page));
  }
  add_environment(document, result);
  add_repeat(document, result);
  return document;
}

}  // namespace

Report report_of(const Result& result, const Shown& shown) {
  const auto refuse_columns = [shown] {
    if (shown.columns.empty()) return;
    throw std::invalid_argument(
        "--columns: JSON always has all columns, and JUnit has no columns (use --format console, "
        "markdown or csv)");
  };
  Report report{.kind = files::FileKind::apod,
                .frame = {result.plan.name, about(result.environment),
                          "bench " + result.environment.bench_version}};
  report.document = [&result, shown](Audience audience) {
    if (audience == Audience::page) return run_page(result, shown.curves);
    Document document = run_document(result, shown.columns);
    if (shown.explanation) document.append(explanation_document(result));
    if (shown.timers) document.append(timers_document(result));
    return document;
  };
  report.rows = [&result, shown] { return case_rows(result, shown.columns); };
  report.json = [&result, refuse_columns](std::ostream& out) {
    refuse_columns();
    files::write_json(out, result);
  };
  report.junit = [&result, refuse_columns, fails = shown.fails](std::ostream& out) {
    refuse_columns();
    write_run_junit(out, result, fails);
  };
  report.is_less_than = [&result](const std::string& path) {
    return files::holds_more(path, result);
  };
  return report;
}

}  // namespace apod::show
