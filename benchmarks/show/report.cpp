#include "benchmarks/show/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"

namespace apod::show {
namespace {

/// By format.
constexpr std::array<const char*, 6> extensions{".txt", ".json", ".csv", ".md", ".html", ".xml"};

std::string extension_of(Format format) {
  return extensions.at(static_cast<std::size_t>(format));
}

/// Names of rows, headings and figures, and what leads to them, apart from those of other sheets.
void put_before(Document& document, const std::string& prefix) {
  const auto put = [&](std::string& name) {
    if (!name.empty()) name = prefix + name;
  };
  for (auto& block : document.blocks) {
    if (auto* heading = std::get_if<Heading>(&block)) put(heading->anchor);
    if (auto* figure = std::get_if<figure::Figure>(&block)) {
      put(figure->id);
      for (auto& panel : figure->panels) {
        for (auto& series : panel.series) {
          for (auto& point : series.points) put(point.about);
        }
      }
    }
    if (auto* table = std::get_if<Table>(&block)) {
      for (auto& row : table->rows) {
        put(row.anchor);
        for (auto& cell : row.cells) put(cell.to);
      }
    }
  }
}

}  // namespace

std::vector<Format> list_formats(Formats formats) {
  std::vector<Format> all{Format::console,  Format::json, Format::csv,
                          Format::markdown, Format::html, Format::junit};
  if (formats == Formats::all_but_junit) all.pop_back();
  return all;
}

std::string extensions_of(Formats formats) {
  return text::joined(list_formats(formats), ", ", extension_of);
}

Format format_of(const std::string& path, Formats formats) {
  const auto extension = text::lower(std::filesystem::path(path).extension().string());
  for (const auto format : list_formats(formats)) {
    if (extension == extension_of(format)) return format;
  }
  throw std::invalid_argument("'" + path + "': no format has this extension (" +
                              extensions_of(formats) + ")");
}

void write(std::ostream& out, const Report& report, Format format, const ConsoleStyle& style) {
  switch (format) {
    case Format::console:
      return render_terminal(out, report.document(Audience::terminal), style);
    case Format::json:
      return report.json(out);
    case Format::csv:
      if (report.rows) return render_csv(out, report.rows());
      for (const auto& block : report.document(Audience::text).blocks) {
        if (const auto* table = std::get_if<Table>(&block)) render_csv(out, *table);
      }
      return;
    case Format::markdown:
      return render_markdown(out, report.document(Audience::text), report.most_markdown);
    case Format::html:
      return write_page(out, {sheet_of(report)});
    case Format::junit:
      if (report.junit) return report.junit(out);
      throw std::invalid_argument("JUnit is only for results and comparisons");
  }
}

Sheet sheet_of(const Report& report) {
  Sheet sheet{report.frame, report.document(Audience::page)};
  // There are eight colours: those take them that are drawn, in this order.
  std::map<std::size_t, std::size_t> drawn;
  for (auto& block : sheet.document.blocks) {
    auto* figure = std::get_if<figure::Figure>(&block);
    if (figure == nullptr) continue;
    for (auto& panel : figure->panels) {
      for (auto& series : panel.series) {
        const bool is_named = series.color.meaning == figure::Color::Meaning::series;
        if (!is_named || series.points.empty()) continue;
        series.color.index = drawn.emplace(series.color.index, drawn.size()).first->second;
      }
    }
  }
  return sheet;
}

void write_page(std::ostream& out, std::vector<Sheet> sheets) {
  if (sheets.empty()) return;
  PageFrame frame = sheets.front().frame;
  const bool several = sheets.size() > 1;
  if (several) frame = {fmt::format("{} parts:", sheets.size()), "", frame.made_by};
  Document document;
  for (auto& sheet : sheets) {
    const auto number = &sheet - &sheets.front() + 1;
    if (number > 1) put_before(sheet.document, fmt::format("r{}-", number));
    const auto& own = sheet.frame;
    auto* title = std::get_if<Heading>(&sheet.document.blocks.front());
    if (several && title != nullptr) {
      frame.name += (number == 1 ? " " : ", ") + own.name;
      title->part = own.name + (own.about.empty() ? "" : " · " + own.about);
    }
    document.append(std::move(sheet.document));
  }
  render_html(out, document, frame);
}

}  // namespace apod::show
