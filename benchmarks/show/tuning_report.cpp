#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/about.hpp"
#include "benchmarks/show/estimate_text.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::show {
namespace {

std::string value_text(const std::string& objective, const Estimate& value) {
  const auto interval =
      objective == "time" && value.has_interval() ? " " + interval_text(value) : std::string();
  return (objective == "time" ? text::format_time(value.value)
                              : fact_text(objective, value.value)) +
         interval;
}

/// Of best / default - 1: "28.1 % less time (27.2 to 29.0 %, at 99 %) than the default"; where it
/// is not certain, with signs.
Span gain_text(const TunedShape& shape, const Estimate& gain) {
  const bool more = shape.more_is_better;
  const bool certain = gain.has_interval() && (more ? gain.low > 0 : gain.high < 0);
  if (certain) {
    const double sign = more ? 100 : -100;
    return {fmt::format(", {:.1f} % {} {} ({:.1f} to {:.1f} %, at 99 %) than the default",
                        sign * gain.value, more ? "more" : "less", shape.objective,
                        sign * (more ? gain.low : gain.high), sign * (more ? gain.high : gain.low)),
            Tone::good};
  }
  auto line = fmt::format(", but not certainly better than the default: {} {:+.1f} %",
                          shape.objective, 100 * gain.value);
  if (gain.has_interval())
    line += fmt::format(" ({:+.1f} to {:+.1f} %, at 99 %)", 100 * gain.low, 100 * gain.high);
  return {line, Tone::warning};
}

std::string share_text(double part, double all) {
  const double share = all > 0 ? part / all : 0;
  return share >= 0.1 ? fmt::format("{:.0f} %", 100 * share) : fmt::format("{:.2g} %", 100 * share);
}

/// With both ends: half a width would hide on which side of 0 the interval lies.
std::string behind_text(const Estimate& behind) {
  if (!behind.has_interval()) return change_text(behind);
  return fmt::format("{:+.1f} %, {:+.1f} to {:+.1f}", 100 * behind.value, 100 * behind.low,
                     100 * behind.high);
}

Text verdict_of(const TunedShape& shape) {
  const auto& best = shape.rows.front();
  if (best.is_default)
    return Span{"The default is the best configuration that was tried.", Tone::strong};
  if (!shape.gain) return Span{"Best: " + best.label + "; the default failed", Tone::strong};
  return {Span{"Best: " + best.label, Tone::strong}, gain_text(shape, *shape.gain)};
}

/// Whether the row is at most a little worse than the best, for certain.
bool is_close(const TunedShape& shape, const Estimate& behind) {
  constexpr double little = 0.05;
  return behind.has_interval() &&
         (shape.more_is_better ? behind.low >= -little : behind.high <= little);
}

Table finals_of(const TunedShape& shape) {
  Table table;
  table.columns = {{.name = "configuration", .align = Align::left, .key = true},
                   {.name = shape.objective, .id = "value"},
                   {.name = "against the best"},
                   {.name = "processes", .priority = 50},
                   {.name = "", .id = "verdict", .align = Align::left}};
  for (const auto& row : shape.rows) {
    const bool is_best = &row == &shape.rows.front();
    const std::string verdict = is_best                       ? "best"
                                : row.failed                  ? "failed"
                                : row.is_worse                ? "worse"
                                : is_close(shape, row.behind) ? "as good"
                                                              : "undecided";
    Row made;
    made.cells = {{row.label + (row.is_default ? " (default)" : "")},
                  row.failed
                      ? Cell{}
                      : Cell{value_text(shape.objective, row.value), Tone::plain, row.value.value},
                  is_best || row.failed ? Cell{} : Cell{behind_text(row.behind)},
                  {std::to_string(row.blocks)},
                  {verdict, is_best ? Tone::good : Tone::plain}};
    table.rows.push_back(std::move(made));
  }
  return table;
}

Table effects_of(const TunedShape& shape) {
  Table table;
  table.caption = "Which axes matter: the share of each axis in the variation of the results";
  table.columns = {{.name = "axis", .align = Align::left, .key = true},
                   {.name = "share"},
                   {.name = "best on average", .align = Align::left}};
  constexpr std::size_t most = 12;
  for (const auto& effect : shape.effects) {
    if (table.rows.size() == most) break;
    table.rows.push_back(
        {.cells = {{effect.other.empty() ? effect.axis : effect.axis + " with " + effect.other},
                   {fmt::format("{:.0f} %", 100 * effect.share)},
                   {effect.best}}});
  }
  return table;
}

figure::Figure steps_figure(const TunedShape& shape) {
  figure::Figure figure;
  figure.id = "search";
  figure.title = "How the search went";
  figure.description =
      "The best mean so far, after this number of measurements. The best of many noisy means "
      "looks slightly better than it is.";
  figure.x = {.title = "measurements"};
  figure.y = {.title = shape.objective,
              .unit = shape.objective == "time" ? text::Unit::seconds : text::Unit::count};
  figure::Series series{.name = shape.label.empty() ? "best so far" : shape.label};
  for (const auto& one : shape.steps) {
    if (std::isfinite(one.value))
      series.points.push_back({.x = static_cast<double>(one.looks), .y = one.value});
  }
  figure.panels.push_back({.series = {std::move(series)}});
  return figure;
}

void add_shape(const Tuning& tuning, const TunedShape& shape, Audience audience,
               Document& document) {
  if (!shape.label.empty()) document.add(Heading{2, {shape.label}});
  auto seen = fmt::format(
      "Tried {} of {} configurations ({}) in {} measurements, with the strategy {}.", shape.looked,
      shape.valid, share_text(static_cast<double>(shape.looked), static_cast<double>(shape.valid)),
      shape.looks, shape.strategy);
  if (shape.failed > 0) seen += fmt::format(" {} failed.", shape.failed);
  if (shape.rows.empty()) {
    document.add(Paragraph{Span{"Every configuration that was tried failed.", Tone::bad}});
    document.add(Paragraph{seen});
    return;
  }
  document.add(Paragraph{verdict_of(shape)});
  document.add(Paragraph{seen});
  document.add(finals_of(shape));
  const auto& best = shape.rows.front();
  std::string use = "Use " + set_flags(tuning, best.params);
  if (const auto defines = define_flags(tuning, best.params); !defines.empty())
    use += "; compiler flags: " + defines;
  document.add(Paragraph{use});
  document.add(effects_of(shape));
  if (audience == Audience::page) document.add(steps_figure(shape));
}

void add_portable(const Tuning& tuning, Document& document) {
  if (!tuning.portable) return;
  document.add(Heading{2, {"For all shapes"}});
  document.add(Paragraph{Span{tuning.portable->label, Tone::strong}});
  Table table;
  table.columns = {{.name = "shape", .align = Align::left, .key = true},
                   {.name = "loss against the shape's best configuration"}};
  for (std::size_t i = 0; i < tuning.portable->losses.size(); ++i) {
    const auto& loss = tuning.portable->losses[i];
    table.rows.push_back({.cells = {{tuning.shapes[i].label},
                                    {std::isnan(loss.value) ? "failed" : change_text(loss)}}});
  }
  document.add(std::move(table));
}

void add_front(const Tuning& tuning, Document& document) {
  if (tuning.front.empty()) return;
  document.add(Heading{2, {"Pareto front of the two objectives"}});
  Table table;
  if (tuning.shapes.size() > 1)
    table.columns.push_back({.name = "shape", .align = Align::left, .key = true});
  table.columns.push_back({.name = "configuration", .align = Align::left, .key = true});
  for (const auto& objective : tuning.objectives) table.columns.push_back({.name = objective});
  for (const auto& point : tuning.front) {
    Row row;
    if (tuning.shapes.size() > 1) row.cells.push_back({point.shape});
    row.cells.push_back({point.label + (point.is_default ? " (default)" : "")});
    for (std::size_t i = 0; i < point.values.size(); ++i) {
      const auto& value = point.values[i];
      auto text = value_text(tuning.objectives[i], value);
      if (tuning.objectives[i] != "time" && value.has_interval())
        text += fmt::format(" ±{:.1f} %", 100 * value.half_width() / value.value);
      row.cells.push_back({text, Tone::plain, value.value});
    }
    table.rows.push_back(std::move(row));
  }
  document.add(std::move(table));
}

Document document_of(const Tuning& tuning, Audience audience) {
  Document document;
  document.add(Heading{1,
                       {tuning.name + ", tuned for " + text::joined(tuning.objectives, " and ")},
                       beside({tuning.device, tuning.build})});
  document.add(Paragraph{
      "Tuned: " + text::joined(tuning.tuned, ", ") +
      (tuning.shaped.empty() ? "" : "; the best for each " + text::joined(tuning.shaped, ", ")) +
      fmt::format(". {}, seed {}.", text::format_duration(tuning.seconds), tuning.seed)});
  for (const auto& shape : tuning.shapes) add_shape(tuning, shape, audience, document);
  add_portable(tuning, document);
  add_front(tuning, document);
  List list;
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(most, tuning.failures.size()); ++i) {
    const auto& [reason, count] = tuning.failures[i];
    list.items.push_back({(count == 1 ? "once: " : fmt::format("{} times: ", count)) + reason});
  }
  if (tuning.failures.size() > most)
    list.items.push_back({fmt::format("{} other reasons", tuning.failures.size() - most)});
  document.add(Heading{2, {"Why configurations failed"}}, std::move(list));
  for (const auto& note : tuning.notes) document.add(Paragraph{.text = note, .apart = true});
  return document;
}

}  // namespace

std::string set_flags(const Tuning& tuning, const Params& params) {
  std::string flags;
  for (const auto& axis : tuning.tuned) {
    const auto* value = params.find(axis);
    if (value == nullptr) continue;
    flags +=
        (flags.empty() ? "--set " : " --set ") + text::shell_line({axis + "=" + to_string(*value)});
  }
  return flags;
}

std::string define_flags(const Tuning& tuning, const Params& params) {
  std::vector<std::string> words;
  for (const auto& axis : tuning.macros) {
    if (const auto* value = params.find(axis))
      words.push_back("-D" + axis + "=" + to_string(*value));
  }
  return words.empty() ? "" : text::shell_line(words);
}

Report report_of(const Tuning& tuning) {
  Report report;
  report.frame = {tuning.name, beside({tuning.device}), beside({"bench", tuning.build})};
  report.document = [&](Audience audience) { return document_of(tuning, audience); };
  return report;
}

}  // namespace apod::show
