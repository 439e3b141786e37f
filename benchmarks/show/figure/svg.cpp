#include "benchmarks/show/figure/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "benchmarks/base/text/markup.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/figure/drawing.hpp"
#include "benchmarks/show/figure/text_width.hpp"

namespace apod::figure {
namespace {

constexpr std::size_t most_direct_labels = 6;
constexpr double narrowest_panel = 300;
constexpr double panel_gap = 24;
constexpr double widest_key = 240;
constexpr double widest_in_legend = 320;
constexpr double title_size = 15.5;    ///< bold text of 14 px is as wide
constexpr double most_beside = 0.32;   ///< of the width, for names beside the ends of lines
constexpr double most_of_rows = 0.38;  ///< of the width, for the names of rows
constexpr double margin = 8;           ///< around a file of its own
constexpr const char* small_text =
    "svg.figure text{font-size:10.3px}svg.figure .title{font-size:12px}";

/// The points that have a place, with their texts or without; how many have none is counted.
Figure placed(Figure figure, bool texts) {
  std::size_t odd = 0;
  for (Panel& panel : figure.panels) {
    const bool rows = !panel.rows.empty();
    for (Series& series : panel.series) {
      odd += std::erase_if(series.points, [&](const Point& p) {
        return !has_place(figure.x.scale, p.x) ||
               !has_place(rows ? Scale::linear : figure.y.scale, p.y);
      });
      for (Point& p : series.points) {
        const Scale scale = rows ? figure.x.scale : figure.y.scale;
        if (!has_place(scale, p.low) || !has_place(scale, p.high)) p.low = p.high = no_value;
        if (!texts) p.text.clear();
      }
    }
    std::erase_if(panel.series, [](const Series& series) { return series.points.empty(); });
  }
  if (odd > 0) {
    figure.notes.push_back(
        fmt::format("{} left out: not a number{}", text::counted(odd, "value is", "values are"),
                    figure.x.scale == Scale::linear && figure.y.scale == Scale::linear
                        ? ""
                        : ", or values of 0 or less on a logarithmic scale"));
  }
  return figure;
}

/// All values that must be in sight, along x and y.
struct Extent {
  std::vector<double> x;
  std::vector<double> y;
};

Extent extent_of(const Figure& figure) {
  Extent extent;
  const auto add = [](std::vector<double>& values, Scale scale, double value) {
    if (has_place(scale, value)) values.push_back(value);
  };
  for (const Panel& panel : figure.panels) {
    const bool rows = !panel.rows.empty();
    for (const Series& series : panel.series) {
      for (const Point& p : series.points) {
        if (series.mark != Mark::spans) add(extent.x, figure.x.scale, p.x);
        add(extent.y, figure.y.scale, p.y);
        for (const double end : {p.low, p.high})
          add(rows ? extent.x : extent.y, rows ? figure.x.scale : figure.y.scale, end);
      }
    }
    for (const Guide& guide : panel.guides) {
      for (const auto& [x, y] : guide.path) {
        add(extent.x, figure.x.scale, x);
        add(extent.y, figure.y.scale, y);
      }
    }
  }
  for (const double value : figure.x.also) add(extent.x, figure.x.scale, value);
  for (const double value : figure.y.also) add(extent.y, figure.y.scale, value);
  if (figure.band) {
    const bool rows = !figure.panels.empty() && !figure.panels.front().rows.empty();
    for (const double end : {figure.band->first, figure.band->second})
      add(rows ? extent.x : extent.y, rows ? figure.x.scale : figure.y.scale, end);
  }
  return extent;
}

bool has_bars(const Figure& figure) {
  for (const Panel& panel : figure.panels) {
    for (const Series& series : panel.series) {
      if (series.mark == Mark::bars) return true;
    }
  }
  return false;
}

/// The series of all panels, each name once.
std::vector<const Series*> named_series(const Figure& figure) {
  std::vector<const Series*> all;
  for (const Panel& panel : figure.panels) {
    for (const Series& series : panel.series) {
      const bool known =
          std::ranges::any_of(all, [&](const Series* other) { return other->name == series.name; });
      if (!known && !series.name.empty()) all.push_back(&series);
    }
  }
  return all;
}

/// The names of the series and of the guides in lines below the panels. Returns their height.
double draw_legend(std::string& svg, const std::vector<const Series*>& all,
                   const std::vector<Guide>& guides, double left, double top, double width) {
  double x = left;
  double y = top + 12;
  std::vector<std::string> whole;
  for (const Series* series : all) whole.push_back(series->name);
  for (const Guide& guide : guides) whole.push_back(guide.name);
  const double room = std::min(widest_in_legend, width - 20);
  const auto shown = fitted_apart(whole, room, font_size);
  auto fitting = shown.begin();
  const auto add = [&](const std::string& name, const std::string& rules, const auto& key) {
    const double wide = std::min(text_width(name, font_size), room);
    if (x > left && x + wide + 18 > left + width) {
      x = left;
      y += line_height + 2;
    }
    svg += "<g " + rules + ">" + key();
    svg += text_at(x + 16, y, name, Anchor::start, wide + 1, "", *fitting++) + "</g>";
    x += wide + 34;
  };
  for (const Series* series : all) {
    add(series->name,
        fmt::format("class=\"{}\" data-s=\"{}\"", rule_of(series->color),
                    text::as_markup(series->name)),
        [&] { return point_at(x + 5, y - 4, series->color, Look::plain, "", ""); });
  }
  for (const Guide& guide : guides) {
    add(guide.name, "class=\"guides\"",
        [&] { return line_at(x, y - 4, x + 12, y - 4, guide.dashed ? "guide dashed" : "guide"); });
  }
  return y - top + 8;
}

/// Words in as many lines as it takes. `size`: of a font as wide as the one that `rule` gives.
/// Returns their height.
double draw_text(std::string& svg, const std::string& text, double left, double top, double width,
                 const char* rule, double size = font_size) {
  double y = top;
  std::string line;
  const auto flush = [&] {
    y += line_height + (size > font_size ? 2 : 0);
    svg += text_at(left, y - 4, line, Anchor::start, width, rule);
  };
  const std::string shown = text::printable(text);
  std::string_view rest = shown;
  for (std::string word(text::take_word(rest)); !word.empty(); word = text::take_word(rest)) {
    const std::string longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && text_width(longer, size) > width) {
      flush();
      line = word;
    } else {
      line = longer;
    }
  }
  if (!line.empty()) flush();
  return y - top;
}

/// Whether series and guides can be named beside their ends: few of them, of one panel, that leave
/// most of the width to it.
bool names_fit_beside(const Figure& figure, const std::vector<const Series*>& names, double width) {
  if (figure.panels.size() != 1 || names.size() > most_direct_labels) return false;
  double widest = 0;
  for (const Series* series : names) widest = std::max(widest, text_width(series->name, font_size));
  for (const Guide& guide : figure.panels.front().guides)
    widest = std::max(widest, text_width(guide.name, font_size));
  return std::min(widest, widest_key) <= most_beside * width;
}

/// The room that the names of all rows need, as far as there is.
double width_of_rows(const Figure& figure, double width) {
  double widest = 0;
  for (const Panel& panel : figure.panels) {
    for (const auto& row : panel.rows) widest = std::max(widest, text_width(row, font_size));
  }
  return std::min(widest, most_of_rows * width);
}

/// The names of all rows as they fit, apart in all panels.
std::map<std::string, std::string> fitted_rows(const Figure& figure, double room) {
  std::vector<std::string> rows;
  for (const Panel& panel : figure.panels)
    rows.insert(rows.end(), panel.rows.begin(), panel.rows.end());
  const auto fitting = fitted_apart(rows, room, font_size);
  std::map<std::string, std::string> shown;
  for (std::size_t i = 0; i < rows.size(); ++i) shown[rows[i]] = fitting[i];
  return shown;
}

}  // namespace

std::string svg_of(const Figure& wanted, const Style& style) {
  const Figure figure = placed(wanted, style.texts);
  const double edge = style.alone ? margin : 0;
  const double width = style.width - 2 * edge;
  const auto names = named_series(figure);
  const bool rows = !figure.panels.empty() && !figure.panels.front().rows.empty();
  const bool beside = !rows && names_fit_beside(figure, names, width);
  const std::size_t columns =
      rows ? 1
           : std::clamp<std::size_t>(static_cast<std::size_t>(width / narrowest_panel), 1,
                                     std::max<std::size_t>(figure.panels.size(), 1));
  const auto count = static_cast<double>(columns);
  const double panel_width = (width - panel_gap * (count - 1)) / count;
  Axis x = figure.x;
  x.from_zero = x.from_zero || (rows && has_bars(figure));
  const Extent extent = extent_of(figure);
  const Ruler x_ruler = ruler_of(x, extent.x, std::max(2.0, panel_width / (rows ? 120 : 90)));
  const Ruler y_ruler = ruler_of(figure.y, extent.y, 5);
  const double row_names = width_of_rows(figure, panel_width);
  const auto shown_rows = fitted_rows(figure, row_names + 2);
  std::vector<std::string> titles;
  for (const Panel& panel : figure.panels) titles.push_back(text::printable(panel.title));
  titles = fitted_apart(titles, panel_width, bold_size);
  std::string body;
  double y = edge;
  if (style.titled && !figure.title.empty())
    y += draw_text(body, figure.title, edge, y, width, "title", title_size) + 6;
  double row_height = 0;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const auto column = static_cast<double>(i % columns);
    if (i > 0 && i % columns == 0) {
      y += row_height + 8;
      row_height = 0;
    }
    const PanelFrame frame{.figure = figure,
                           .x = x_ruler,
                           .y = y_ruler,
                           .title = titles[i],
                           .names = shown_rows,
                           .left = edge + column * (panel_width + panel_gap),
                           .top = y,
                           .width = panel_width,
                           .beside = beside,
                           .row_names = row_names,
                           .last = i + 1 == figure.panels.size(),
                           .linked = !style.alone};
    row_height = std::max(row_height, rows ? draw_rows(body, figure.panels[i], frame)
                                           : draw_panel(body, figure.panels[i], frame));
  }
  y += row_height;
  // What is not named beside its end is named below.
  std::vector<const Series*> below;
  for (const Series* series : names) {
    if (!beside || series->mark == Mark::dots) below.push_back(series);
  }
  auto guides =
      beside || figure.panels.empty() ? std::vector<Guide>{} : figure.panels.front().guides;
  std::erase_if(guides, [](const Guide& guide) { return guide.name.empty(); });
  if (below.size() > (names.size() == 1 ? 1 : 0) || !guides.empty())
    y += draw_legend(body, below, guides, edge, y + 2, width);
  for (const auto& note : figure.notes) y += draw_text(body, note, edge, y, width, "note");
  const double height = std::ceil(y + edge);
  std::string svg = fmt::format(
      "<svg class=\"figure\" role=\"img\"{} viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\">",
      style.alone ? " xmlns=\"http://www.w3.org/2000/svg\"" : "", px(style.width), px(height),
      px(style.width), px(height));
  svg += "<title>" + text::as_markup(figure.title.empty() ? "figure" : figure.title) + "</title>";
  if (!figure.description.empty())
    svg += "<desc>" + text::as_markup(figure.description) + "</desc>";
  if (style.alone) {
    svg += "<style>" + std::string(figure_rules) + (style.small ? small_text : "") + "</style>";
    svg += "<path class=\"paper\" d=\"M0 0H" + px(style.width) + "V" + px(height) + "H0z\"/>";
  }
  return svg + body + "</svg>\n";
}

}  // namespace apod::figure
