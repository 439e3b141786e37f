#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <sstream>

#include "benchmarks/base/text/markup.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/document.hpp"
#include "benchmarks/show/figure/svg.hpp"
#include "benchmarks/show/table_fit.hpp"

namespace apod::show {
namespace {

using text::as_markup;

constexpr double figure_width = 900;   ///< px
constexpr double wide_figure = 1100;   ///< of several panels
constexpr double narrow_figure = 350;  ///< for a phone
/// Fewer sections need no menu.
constexpr std::ptrdiff_t fewest_contents = 3;
/// A column with a longer text may break it anywhere.
constexpr std::size_t long_text = 40;
constexpr std::size_t least_part = 4;  ///< of a name, after which it may be broken

/// With no number parted from its unit at the end of a line.
std::string joined(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text::is_before_unit(text, i)) text.replace(i, 1, "\u00A0");
  }
  return text;
}

/// The text, whatever its direction, without a say in what stands beside it. A long name may be
/// broken after each of its parts.
std::string isolated(const std::string& given) {
  const bool foreign =
      std::ranges::any_of(given, [](char c) { return static_cast<unsigned char>(c) >= 128; });
  const std::string text = joined(given);
  if (foreign) return "<bdi>" + as_markup(text) + "</bdi>";
  if (text.size() <= long_text) return as_markup(text);
  std::string html;
  std::size_t begin = 0;
  for (std::size_t i = 1; i + least_part < text.size(); ++i) {
    // "/s" and the like are no parts of a name.
    const bool ends_part =
        text[i - 1] == '/' && text.find(' ', i) >= std::min(text.size(), i + least_part);
    if (!ends_part) continue;
    html += as_markup(text.substr(begin, i - begin)) + "<wbr>";
    begin = i;
  }
  html += as_markup(text.substr(begin));
  return html;
}

std::string html_of(const Span& span) {
  std::string text = span.code ? as_markup(span.text) : isolated(span.text);
  if (span.code) text = "<code>" + text + "</code>";
  if (span.tone == Tone::strong) return "<strong>" + text + "</strong>";
  const std::string rule(to_string(span.tone));
  return rule.empty() ? text : "<span class=\"" + rule + "\">" + text + "</span>";
}

std::string html_of(const Text& text) {
  std::string html;
  for (const auto& span : text.spans) html += html_of(span);
  return html;
}

class Html {
 public:
  explicit Html(std::ostream& out) : out_(out) {}
  Html(std::ostream& out, const Document& document) : out_(out), contents_(contents_of(document)) {}

  void operator()(const Heading& heading) {
    const int level = std::clamp(heading.level, 1, std::min(level_ + 1, 6));
    // What stood below a section that is closed goes with it.
    if (folded_ > 0 && level <= folded_) unfold();
    level_ = level;
    const std::string id = id_of(heading);
    if (!heading.part.empty()) {
      out_ << "<p class=\"part\">" << isolated(heading.part) << "</p>\n";
      write_sections(id);
    }
    const std::string rule(to_string(heading.title.tone));
    const std::string text = isolated(heading.title.text);
    // What opens a section can't be a link as well.
    const bool folds = heading.folded && folded_ == 0;
    const std::string title = fmt::format(
        "<h{0}{1} id=\"{2}\">{3}</h{0}>", level, rule.empty() ? "" : " class=\"" + rule + "\"", id,
        folds ? text : fmt::format("<a href=\"#{}\">{}</a>", id, text));
    if (folds) {
      out_ << "<details><summary>" << title << "</summary>\n";
      folded_ = level;
    } else {
      out_ << title << '\n';
    }
    if (!heading.detail.empty())
      out_ << "<p class=\"detail\">" << as_markup(joined(heading.detail)) << "</p>\n";
    answer_ = level == 1;
  }

  void operator()(const Paragraph& paragraph) {
    const bool answers = answer_ && is_answer(paragraph);
    out_ << (answers ? "<p class=\"answer\">" : "<p>") << html_of(paragraph.text) << "</p>\n";
    answer_ = false;
  }

  void operator()(const List& list) {
    out_ << "<ul>\n";
    for (const auto& item : list.items) {
      out_ << "<li>" << html_of(item.text);
      if (!item.more.empty()) {
        out_ << "<ul>";
        for (const auto& more : item.more) out_ << "<li>" << html_of(more) << "</li>";
        out_ << "</ul>";
      }
      out_ << "</li>\n";
    }
    out_ << "</ul>\n";
  }

  void operator()(const Entries& entries) {
    out_ << "<dl>\n";
    for (const auto& [name, text] : entries.items)
      out_ << "<dt>" << isolated(name) << "</dt><dd>" << isolated(text) << "</dd>\n";
    out_ << "</dl>\n";
  }

  void operator()(const Code& code) {
    out_ << "<pre class=\"scroll\" tabindex=\"0\"><code>";
    std::istringstream lines(code.text);
    for (std::string line; std::getline(lines, line);) out_ << as_markup(line) << '\n';
    out_ << "</code></pre>\n";
  }

  void operator()(const figure::Figure& figure) {
    const bool wide = figure.panels.size() > 1;
    const bool rows = !figure.panels.empty() && !figure.panels.front().rows.empty();
    const double width = wide && !rows ? wide_figure : figure_width;
    const std::string id = as_markup(figure.id);
    out_ << fmt::format("<figure id=\"{0}\"><figcaption><a href=\"#{0}\">{1}</a></figcaption>\n",
                        id, isolated(figure.title));
    // A phone has a drawing of its own, without texts for a pointer that it has not.
    out_ << "<div class=\"broad\">" << figure::svg_of(figure, {width, false, false})
         << "</div>\n<div class=\"narrow\">"
         << figure::svg_of(figure, {narrow_figure, false, false, false}) << "</div>\n";
    if (!figure.description.empty())
      out_ << "<p>" << as_markup(joined(figure.description)) << "</p>\n";
    out_ << "</figure>\n";
  }

  void operator()(const Table& table) {
    const Table ready = with_values(table);
    const std::string name = table.caption.empty() ? "table" : as_markup(table.caption);
    out_ << "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"" << name
         << (table.matrix ? "\"><table class=matrix>\n" : "\"><table>\n");
    if (!table.caption.empty()) out_ << "<caption>" << name << "</caption>\n";
    out_ << "<thead><tr>";
    for (const auto& column : ready.columns) {
      out_ << "<th scope=col" << (column.align == Align::right ? " class=n" : "") << '>'
           << as_markup(column.name) << "</th>";
    }
    out_ << "</tr></thead>\n<tbody>\n";
    const std::size_t columns = std::max<std::size_t>(ready.columns.size(), 1);
    for (const Row& row : ready.rows) {
      if (!row.cells.empty()) write_row(ready, row);
      if (!row.command.empty()) {
        out_ << "<tr class=\"remark command\"><td colspan=\"" << columns << "\"><code>"
             << as_markup(row.command) << "</code></td></tr>\n";
      }
      for (const Span& remark : row.remarks) {
        out_ << (row.cells.empty()
                     ? fmt::format("<tr class=\"across\"><th scope=\"rowgroup\" "
                                   "colspan=\"{}\">{}</th></tr>\n",
                                   columns, html_of(remark))
                     : fmt::format("<tr class=\"remark\"><td colspan=\"{}\">{}</td></tr>\n",
                                   columns, html_of(remark)));
      }
    }
    out_ << "</tbody></table></div>\n";
  }

  void unfold() {
    if (folded_ > 0) out_ << "</details>\n";
    folded_ = 0;
  }

  /// The menu: the parts of the page and their answers, or the sections of its only one.
  void write_menu() const {
    if (contents_.empty() || contents_.front().part.empty()) return write_sections("");
    out_ << "<nav aria-label=\"Parts\"><ol>\n";
    for (const auto& entry : contents_) {
      if (entry.part.empty()) continue;
      out_ << "<li><a href=\"#" << entry.id << "\">" << isolated(entry.part)
           << "</a>: " << html_of(entry.title) << "</li>\n";
    }
    out_ << "</ol></nav>\n";
  }

 private:
  /// What a menu leads to: a part of the page, or a section of level 2.
  struct Entry {
    std::string id;
    Span title;  ///< of a part: its answer
    std::string part;
  };

  /// Of all parts and sections, as they will be called when they are written.
  static std::vector<Entry> contents_of(const Document& document) {
    std::ostringstream nowhere;
    Html html(nowhere);
    std::vector<Entry> found;
    for (std::size_t i = 0; i < document.blocks.size(); ++i) {
      const auto* heading = std::get_if<Heading>(&document.blocks[i]);
      if (heading == nullptr) continue;
      Entry entry{html.id_of(*heading), heading->title, heading->part};
      const bool more = !entry.part.empty() && i + 1 < document.blocks.size();
      const auto* below = more ? std::get_if<Paragraph>(&document.blocks[i + 1]) : nullptr;
      if (below != nullptr && is_answer(*below)) entry.title = {below->text.spans.front().text};
      if (heading->level == 2 || !entry.part.empty()) found.push_back(std::move(entry));
    }
    return found;
  }

  static bool is_answer(const Paragraph& paragraph) {
    const auto& spans = paragraph.text.spans;
    return !spans.empty() && spans.front().tone == Tone::strong;
  }

  /// Links to the sections of the part with this id; of the only one, if it is empty.
  void write_sections(const std::string& part) const {
    auto from =
        std::ranges::find_if(contents_, [&](const Entry& entry) { return entry.id == part; });
    from = part.empty() ? contents_.begin() : from + 1;
    const auto to =
        std::find_if(from, contents_.end(), [](const Entry& entry) { return !entry.part.empty(); });
    if (to - from < fewest_contents) return;
    out_ << "<nav aria-label=\"Contents" << (part.empty() ? "" : " of " + part) << "\"><ul>";
    for (auto entry = from; entry != to; ++entry)
      out_ << "<li><a href=\"#" << entry->id << "\">" << isolated(entry->title.text) << "</a></li>";
    out_ << "</ul></nav>\n";
  }

  void write_row(const Table& table, const Row& row) {
    out_ << (row.anchor.empty() ? "<tr>" : "<tr id=\"" + as_markup(row.anchor) + "\">");
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Cell& cell = row.cells[i];
      const bool head = i == 0;
      // Most cells are numbers of no row's head: these need no rule.
      const bool number = table.columns[i].align == Align::right;
      std::string rules = head ? (number ? "n" : "") : (number ? "" : "w");
      const auto add = [&](const std::string& rule) {
        if (!rule.empty()) rules += (rules.empty() ? "" : " ") + rule;
      };
      add(std::string(to_string(cell.tone)));
      if (cell.text.size() > long_text && !number) add("long");
      out_ << (head ? "<th scope=row" : "<td");
      if (!rules.empty())
        out_ << " class=" << (rules.find(' ') == rules.npos ? rules : '"' + rules + '"');
      std::string text = isolated(cell.text);
      if (cell.tone == Tone::strong) text = "<strong>" + text + "</strong>";
      if (head && !row.anchor.empty()) {
        text =
            fmt::format("<a href=\"#{}\">{}</a>", as_markup(row.anchor), text.empty() ? "-" : text);
      }
      if (!cell.to.empty()) text = fmt::format("<a href=\"#{}\">{}</a>", as_markup(cell.to), text);
      if (!cell.chart.empty()) text = spark(cell.chart, cell.text);
      out_ << '>' << text;
    }
    out_ << '\n';
  }

  /// Letters, digits and hyphens, and only once on the page.
  std::string id_of(const Heading& heading) {
    std::string id = text::slug(heading.title.text);
    std::replace(id.begin(), id.end(), '.', '-');
    id = heading.anchor.empty() ? "at-" + id.substr(0, 60) : heading.anchor;
    for (int n = 2; !ids_.insert(id).second; ++n) id = id.substr(0, 64) + "-" + std::to_string(n);
    return id;
  }

  std::ostream& out_;
  std::vector<Entry> contents_;
  std::set<std::string> ids_;
  int level_ = 0;
  int folded_ = 0;  ///< level of the heading whose section is closed; 0: none is
  bool answer_ = false;
};

std::string rendered(const Document& document) {
  std::ostringstream out;
  Html html(out, document);
  html.write_menu();
  out << "<main id=\"main\">\n";
  for (const auto& block : document.blocks) std::visit(html, block);
  html.unfold();
  return std::move(out).str();
}

}  // namespace

void render_html(std::ostream& out, const Document& document, const PageFrame& frame) {
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      << "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src "
         "data:; "
      << page_digests << "; base-uri 'none'; form-action 'none'\">\n"
      << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      << "<link rel=\"icon\" href=\"data:,\">\n<title>" << as_markup(frame.name)
      << "</title>\n<style>" << page_style << "</style>\n</head>\n<body>\n"
      << "<a class=\"skip\" href=\"#main\">To the content</a>\n<header><p class=\"name\">"
      << isolated(frame.name) << "</p><p>" << isolated(frame.about) << "</p></header>\n";
  out << rendered(document) << "</main>\n<footer>" << as_markup(frame.made_by)
      << "</footer>\n<script>" << page_script << "</script>\n</body>\n</html>\n";
}

}  // namespace apod::show
