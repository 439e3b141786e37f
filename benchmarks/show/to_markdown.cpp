#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ostream>
#include <sstream>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/document.hpp"
#include "benchmarks/show/table_fit.hpp"

namespace apod::show {
namespace {

/// Whether GitHub makes a link of the word, or tells somebody, whatever is escaped in it: a name
/// behind '@', a number behind '#', an address. In a code span it does neither.
bool is_live(std::string_view word) {
  const auto is_before = [&](char sign, auto is_next) {
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
      if (word[i] == sign && is_next(static_cast<unsigned char>(word[i + 1])) != 0) return true;
    }
    return false;
  };
  return is_before('@', [](int c) { return std::isalnum(c); }) ||
         is_before('#', [](int c) { return std::isdigit(c); }) ||
         word.find("://") != std::string_view::npos || word.starts_with("www.") ||
         word.starts_with("GH-");
}

/// Between backticks, more of them than there are in a row within.
std::string as_code(const std::string& raw) {
  const std::string text = text::printable(raw);
  std::size_t most = 0;
  for (std::size_t i = 0, run = 0; i < text.size(); ++i) {
    run = text[i] == '`' ? run + 1 : 0;
    most = std::max(most, run);
  }
  const std::string fence = text::repeat("`", most + 1);
  const std::string blank = most > 0 ? " " : "";
  return fence + blank + text + blank + fence;
}

/// `text` so that Markdown shows it as it is, within a line.
std::string escaped(const std::string& raw) {
  static constexpr std::string_view special = "\\|`*[]~";
  static constexpr std::string_view between_words = " |";
  const std::string text = text::printable(raw);
  const auto is_edge = [&](std::size_t i) { return i >= text.size() || text[i] == ' '; };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i == 0 || between_words.find(text[i - 1]) != std::string_view::npos) {
      const auto word = text.substr(i, text.find_first_of(between_words, i) - i);
      if (is_live(word)) {
        result += as_code(word);
        i += word.size() - 1;
        continue;
      }
    }
    // An underscore within a word means nothing.
    const bool marks = c == '_' && (i == 0 || is_edge(i - 1) || is_edge(i + 1));
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      if (marks || special.find(c) != std::string_view::npos) result += '\\';
      result += c;
    }
  }
  return result;
}

/// The same at the start of a line, where more characters mean something.
std::string escaped_line(std::string line) {
  line.erase(0, line.find_first_not_of(' '));
  const std::size_t digits = line.find_first_not_of("0123456789");
  const auto ends_mark = [&](std::size_t i) { return i >= line.size() || line[i] == ' '; };
  const bool numbered = digits != 0 && digits != std::string::npos &&
                        (line[digits] == '.' || line[digits] == ')') && ends_mark(digits + 1);
  const bool bullet =
      line.find_first_of("+-") == 0 && (ends_mark(1) || line[1] == '-' || line[1] == '+');
  if (numbered) {
    line.insert(digits, 1, '\\');
  } else if (bullet || line.find_first_of("#>") == 0 || line.starts_with("::")) {
    line.insert(0, 1, '\\');
  }
  return line;
}

std::string markdown_of(const Text& text) {
  std::string line;
  for (const auto& span : text.spans) {
    if (span.text.empty()) continue;
    const bool strong = span.tone == Tone::strong;
    line += strong ? "**" : "";
    line += span.code ? as_code(span.text) : escaped(span.text);
    line += strong ? "**" : "";
  }
  return escaped_line(std::move(line));
}

class Markdown {
 public:
  Markdown(std::ostream& out, std::size_t most_bytes) : out_(out), room_(most_bytes) {}

  void operator()(const Heading& heading) {
    unfold();
    if (heading.folded) {
      put(fmt::format("<details><summary>{}</summary>\n", escaped(heading.title.text)));
      folded_ = true;
    } else {
      put(text::repeat("#", static_cast<std::size_t>(heading.level + 1)) + " " +
          escaped(heading.title.text) + "\n");
    }
    if (!heading.detail.empty()) (*this)(Paragraph{heading.detail});
  }

  void operator()(const Paragraph& paragraph) { put(markdown_of(paragraph.text) + "\n"); }

  void operator()(const List& list) {
    begin();
    items(list.items, "lines");
  }

  void operator()(const Entries& entries) {
    List list;
    for (const auto& [name, text] : entries.items) {
      list.items.push_back(
          {{Span{name, Tone::plain, true}, Span{text.empty() ? "" : ": " + text}}});
    }
    (*this)(list);
  }

  void operator()(const Code& code) {
    begin();
    std::istringstream lines(code.text);
    for (std::string line; std::getline(lines, line);) write("    " + text::printable(line) + "\n");
  }

  void operator()(const figure::Figure&) {}

  void operator()(const Table& table) {
    if (!table.caption.empty()) put(escaped(table.caption) + "\n");
    begin();
    const Table ready = with_values(table);
    std::vector<Cell> titles;
    std::string rule = "|";
    for (const auto& column : ready.columns) {
      titles.push_back({column.name});
      rule += column.align == Align::right ? " ---: |" : " :--- |";
    }
    write(line_of(titles) + rule + "\n");
    std::vector<List::Item> remarks;
    within_half(ready.rows.size(), "rows", [&](std::size_t i) {
      const Row& row = ready.rows[i];
      if (row.cells.empty()) return across(row, ready.columns.size());
      if (!row.remarks.empty()) remarks.push_back(remarks_of(ready, row));
      return line_of(row.cells);
    });
    if (remarks.empty()) return;
    begin();
    items(remarks, "rows");
  }

  /// Ends what is folded.
  void unfold() {
    if (folded_) put("</details>\n");
    folded_ = false;
  }

 private:
  static std::string line_of(const std::vector<Cell>& cells) {
    std::string line = "|";
    for (const auto& cell : cells) {
      const std::string mark = cell.tone == Tone::strong && !cell.text.empty() ? "**" : "";
      line += " " + mark + escaped(cell.text) + mark + " |";
    }
    return line + "\n";
  }

  /// A line across the table has the first cell of a row.
  static std::string across(const Row& row, std::size_t columns) {
    std::string lines;
    for (const auto& remark : row.remarks) {
      std::vector<Cell> cells(columns);
      cells.front() = {remark.text, remark.tone};
      lines += line_of(cells);
    }
    return lines;
  }

  /// What is said about a row, under what tells it from the others.
  static List::Item remarks_of(const Table& table, const Row& row) {
    std::string name;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const bool tells = table.columns[i].key || i == 0;
      if (tells) name += (name.empty() ? "" : ", ") + row.cells[i].text;
    }
    List::Item item{Span{name, Tone::strong}};
    for (const auto& remark : row.remarks) item.more.emplace_back(remark);
    return item;
  }

  void items(const std::vector<List::Item>& all, const char* what) {
    within_half(all.size(), what, [&](std::size_t i) {
      std::string lines = "- " + markdown_of(all[i].text) + "\n";
      for (const auto& more : all[i].more) lines += "  - " + markdown_of(more) + "\n";
      return lines;
    });
  }

  /// Writes what `piece(i)` says for each i, as long as that takes no more than half of the room.
  template <class Piece>
  void within_half(std::size_t count, const char* what, const Piece& piece) {
    const std::size_t rest = room_ / 2;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string text = piece(i);
      if (room_ - std::min(room_, text.size()) < rest) {
        put(fmt::format("{} more {} left out: the page has no space for more\n", count - i, what));
        return;
      }
      write(text);
    }
  }

  /// A blank line before a block.
  void begin() {
    if (!first_) write("\n");
    first_ = false;
  }

  void put(const std::string& text) {
    begin();
    write(text);
  }

  void write(const std::string& text) {
    out_ << text;
    room_ -= std::min(room_, text.size());
  }

  std::ostream& out_;
  std::size_t room_;  ///< bytes that are left
  bool first_ = true;
  bool folded_ = false;
};

}  // namespace

void render_markdown(std::ostream& out, const Document& document, std::size_t most_bytes) {
  Markdown markdown(out, most_bytes);
  for (const auto& block : document.blocks) std::visit(markdown, block);
  markdown.unfold();
}

}  // namespace apod::show
