#include <fmt/color.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <sstream>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/document.hpp"
#include "benchmarks/show/table_fit.hpp"

namespace apod::show {
namespace {

using text::display_width;
using text::printable;
using text::repeat;

/// Columns by which a section stands further in than its heading, and a list than the one above it.
constexpr std::size_t step = 2;
/// No page is taken to be narrower: what is left of its indents would be nothing.
constexpr std::size_t least_width = 20;
constexpr int log_width = 120;  ///< where a log's prose is wrapped

std::string painted(const std::string& text, Tone tone) {
  switch (tone) {
    case Tone::plain:
      return text;
    case Tone::good:
      return fmt::format(fmt::fg(fmt::terminal_color::green), "{}", text);
    case Tone::bad:
      return fmt::format(fmt::fg(fmt::terminal_color::red), "{}", text);
    case Tone::warning:
      return fmt::format(fmt::fg(fmt::terminal_color::yellow), "{}", text);
    case Tone::dim:
      return fmt::format(fmt::emphasis::faint, "{}", text);
    case Tone::strong:
      return fmt::format(fmt::emphasis::bold, "{}", text);
  }
  return text;
}

/// GitHub's runner takes a line for a command that begins with "::", whatever blanks stand before
/// it. A blank within the mark takes its meaning away.
std::string disarmed(std::string line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos) return line;
  if (line.compare(begin, 2, "::") == 0) line.insert(begin + 1, 1, ' ');
  return line;
}

Table printable_table(Table table) {
  for (auto& column : table.columns) column.name = printable(column.name);
  for (auto& row : table.rows) {
    for (auto& cell : row.cells) cell.text = printable(cell.text);
  }
  return with_values(std::move(table));
}

/// What is between two blanks, in one tone or several.
struct Word {
  std::vector<Span> pieces;
  std::size_t width = 0;
  std::string text() const {
    std::string whole;
    for (const auto& piece : pieces) whole += piece.text;
    return whole;
  }
  bool is_unit_of(const Word& before) const {
    const auto number = before.text();
    return text::is_before_unit(number + " " + text(), number.size());
  }
};

std::vector<Word> words_of(const Text& block) {
  std::vector<Word> words;
  bool apart = true;  // from the word before
  for (const auto& span : block.spans) {
    const std::string text = printable(span.text);
    for (std::size_t begin = 0; begin < text.size();) {
      if (text[begin] == ' ') {
        apart = true;
        ++begin;
        continue;
      }
      const std::size_t end = std::min(text.find(' ', begin), text.size());
      if (apart) words.emplace_back();
      apart = false;
      words.back().pieces.push_back({text.substr(begin, end - begin), span.tone});
      words.back().width += display_width(words.back().pieces.back().text);
      begin = end;
    }
  }
  return words;
}

class Terminal {
 public:
  Terminal(std::ostream& out, const ConsoleStyle& style)
      : out_(out),
        color_(style.color),
        width_(std::max(static_cast<std::size_t>(std::max(style.width.value_or(log_width), 0)),
                        least_width)),
        keeps_columns_(!style.width) {}

  void operator()(const Heading& heading) {
    if (!first_) out_ << '\n';
    indent_ = heading.level > 1 ? step : 0;
    const std::string title = printable(heading.title.text);
    const std::string detail = printable(heading.detail);
    const bool fits = display_width(title) + 2 + display_width(detail) <= width_;
    const bool beside = fits && !detail.empty();
    put(0, paint(title, heading.title.tone == Tone::plain ? Tone::strong : heading.title.tone) +
               (beside ? "  " + detail : ""));
    if (!fits && !detail.empty()) paragraph(detail, step, step);
    after_table_ = false;
  }

  void operator()(const Paragraph& block) {
    const auto is_shown = [&](const std::string& id) { return columns_.contains(id); };
    if (!block.of_columns.empty() && std::ranges::none_of(block.of_columns, is_shown)) return;
    if (block.apart) indent_ = 0;
    if (block.apart || after_table_) out_ << '\n';
    paragraph(block.text, indent_, indent_);
    after_table_ = false;
  }

  void operator()(const List& list) {
    if (after_table_) out_ << '\n';
    for (const auto& item : list.items) {
      paragraph(item.text, indent_, indent_ + step);
      for (const auto& more : item.more) paragraph(more, indent_ + step, indent_ + 2 * step);
    }
    after_table_ = false;
  }

  /// Text that has no room beside its name goes on below itself.
  void operator()(const Entries& entries) {
    constexpr std::size_t longest_name = 24;
    std::size_t names = 0;
    for (const auto& entry : entries.items)
      names = std::max(names, std::min(display_width(printable(entry.name)), longest_name));
    const std::size_t indent = indent_ + entries.depth * step;
    const std::size_t begin = std::min(indent + names + table_gap, width_ - least_width / 2);
    for (const auto& entry : entries.items) {
      const std::string name = printable(entry.name);
      const bool is_alone = entry.text.empty() || display_width(name) > names;
      if (is_alone) put(indent, name);
      if (entry.text.empty()) continue;
      std::string before = is_alone ? repeat(" ", begin)
                                    : repeat(" ", indent) + text::pad_right(name, begin - indent);
      for (const auto& part : text::wrap(printable(entry.text), width_ - begin)) {
        put(0, before + part);
        before = repeat(" ", begin);
      }
    }
    after_table_ = false;
  }

  void operator()(const Code& code) {
    std::istringstream lines(code.text);
    for (std::string line; std::getline(lines, line);) put(indent_, printable(line));
    after_table_ = false;
  }

  void operator()(const figure::Figure&) {}

  void operator()(const Table& table) {
    if (after_table_ && table.caption.empty()) out_ << '\n';
    if (!table.caption.empty()) put(step, paint(printable(table.caption), Tone::dim));
    const Table ready = printable_table(table);
    const TableFit widths = fit(ready, width_, keeps_columns_);
    columns_.clear();
    for (const auto column : widths.columns) columns_.insert(ready.columns[column].id_or_name());
    TableLines(*this, ready, widths).print();
    if (!widths.left_out.empty()) {
      paragraph({{fmt::format("columns not shown (no room): {}", fmt::join(widths.left_out, ", ")),
                  Tone::dim}},
                step, step);
    }
    after_table_ = true;
  }

 private:
  /// A table whose columns have their widths.
  class TableLines {
   public:
    TableLines(Terminal& terminal, const Table& table, const TableFit& fit)
        : terminal_(terminal), table_(table), fit_(fit) {
      for (std::size_t i = 0; i < fit.columns.size(); ++i)
        cells_.push_back(cell_lines(table, fit.columns[i], fit.widths[i]));
    }

    void print() {
      titles();
      rule();
      for (std::size_t i = 0; i < table_.rows.size(); ++i) row(i);
      rule();
    }

   private:
    void titles() {
      std::vector<std::vector<std::string>> names;
      std::size_t height = 1;
      for (std::size_t i = 0; i < fit_.columns.size(); ++i) {
        names.push_back(wrap_name(table_.columns[fit_.columns[i]].name, fit_.widths[i]));
        height = std::max(height, names.back().size());
      }
      for (std::size_t at = 0; at < height; ++at) {
        line([&](std::size_t i) -> Cell {
          const std::size_t above = height - names[i].size();
          return {at < above ? "" : names[i][at - above], Tone::strong};
        });
      }
    }

    void rule() {
      line([&](std::size_t i) -> Cell { return {repeat("─", fit_.widths[i]), Tone::dim}; });
    }

    void row(std::size_t index) {
      const Row& row = table_.rows[index];
      std::size_t height = 0;
      for (const auto& cells : cells_) height = std::max(height, cells[index].size());
      for (std::size_t at = 0; at < height; ++at) {
        line([&](std::size_t i) -> Cell {
          const auto& lines = cells_[i][index];
          return {at < lines.size() ? lines[at] : "", row.cells[fit_.columns[i]].tone};
        });
      }
      const std::size_t indent = row.cells.empty() ? step : 3 * step;
      for (const auto& remark : row.remarks) terminal_.paragraph(remark, indent, indent);
    }

    template <class CellOf>
    void line(const CellOf& cell_of) {
      std::string text;
      std::size_t blanks = table_gap;  // none at the end of a line: they would only make it longer
      for (std::size_t i = 0; i < fit_.columns.size(); ++i) {
        const Cell cell = cell_of(i);
        const std::size_t used = display_width(cell.text);
        const std::size_t rest = fit_.widths[i] - std::min(fit_.widths[i], used);
        const bool left = table_.columns[fit_.columns[i]].align == Align::left;
        if (!left) blanks += rest;
        if (used > 0) {
          text += repeat(" ", blanks) + terminal_.paint(cell.text, cell.tone);
          blanks = 0;
        }
        blanks += table_gap + (left ? rest : 0);
      }
      terminal_.put(0, text);
    }

    Terminal& terminal_;
    const Table& table_;
    const TableFit& fit_;
    std::vector<std::vector<std::vector<std::string>>> cells_;  ///< column, row, line
  };

  std::string paint(const std::string& text, Tone tone) const {
    return color_ && !text.empty() ? painted(text, tone) : text;
  }

  void put(std::size_t indent, const std::string& line) {
    out_ << disarmed(repeat(" ", indent) + line) << '\n';
    first_ = false;
  }

  /// Wrapped to the width, but for words that are wider: a person copies them.
  void paragraph(const Text& block, std::size_t indent, std::size_t next_indent) {
    std::vector<Word> line;
    std::size_t used = 0;
    const auto flush = [&] {
      put(indent, painted_line(line));
      line.clear();
      used = 0;
      indent = next_indent;
    };
    const auto words = words_of(block);
    for (std::size_t i = 0; i < words.size(); ++i) {
      // What must not be torn apart: the word and those that stay with it.
      std::size_t end = i + 1;
      std::size_t columns = words[i].width;
      for (; end < words.size() && words[end].is_unit_of(words[end - 1]); ++end)
        columns += 1 + words[end].width;
      // A word that is wider than any line gains nothing by a line of its own after a short one.
      const bool stays = used <= next_indent && next_indent + columns > width_;
      if (used > 0 && indent + used + 1 + columns > width_ && !stays) flush();
      used += (used > 0 ? 1 : 0) + columns;
      line.insert(line.end(), words.begin() + static_cast<std::ptrdiff_t>(i),
                  words.begin() + static_cast<std::ptrdiff_t>(end));
      i = end - 1;
    }
    flush();
  }

  std::string painted_line(const std::vector<Word>& words) const {
    std::string line;
    Span run;  // what has one tone so far, blanks included
    const auto add = [&](const std::string& text, Tone tone) {
      if (tone != run.tone) {
        line += paint(run.text, run.tone);
        run = {"", tone};
      }
      run.text += text;
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Tone next = words[i].pieces.front().tone;
      if (i > 0) add(" ", next == run.tone ? next : Tone::plain);
      for (const auto& piece : words[i].pieces) add(piece.text, piece.tone);
    }
    return line + paint(run.text, run.tone);
  }

  std::ostream& out_;
  bool color_;
  std::size_t width_;
  bool keeps_columns_;
  std::size_t indent_ = 0;
  bool first_ = true;
  bool after_table_ = false;
  std::set<std::string> columns_;  ///< ids of those that the last table shows
};

}  // namespace
void render_terminal(std::ostream& out, const Document& document, const ConsoleStyle& style) {
  Terminal terminal(out, style);
  for (const auto& block : document.blocks) std::visit(terminal, block);
}

}  // namespace apod::show
