#pragma once

/// \file
/// What is shown, before a format gives it a form. Builders store text unchanged, also from files
/// and users. Only the renderers make it harmless.

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "benchmarks/show/figure/figure.hpp"
#include "kernels/api/types.hpp"

namespace apod::show {

/// A value of a small chart.
struct Bar {
  double value = 0;    ///< > 0; meaningless if it failed
  bool aside = false;  ///< does not stretch the chart, and may be cut by it
  bool failed = false;
  bool begins = false;  ///< a level begins here
};

/// A chart of one character per bar: one of eight heights by ln of the value, between the lowest
/// and the highest, which are taken to be at least 10 % apart so that noise looks flat; "x" if it
/// failed.
std::string chart(std::span<const Bar> bars);

/// The same as a line of SVG, on the same scale: upright lines where a level begins, a dot at the
/// last one. `text` is for readers who can't see it.
std::string spark(std::span<const Bar> bars, const std::string& text);

/// What a text means. A terminal may show it as a colour; `strong` is bold everywhere.
enum class Tone : std::uint8_t { plain, good, bad, warning, dim, strong };

struct Span {
  std::string text;
  Tone tone = Tone::plain;
  bool code = false;  ///< to be typed or copied as it is
};

/// Spans of one line or paragraph.
struct Text {
  std::vector<Span> spans;

  Text() = default;
  Text(const char* text) : spans{{text}} {}
  Text(std::string text) : spans{{std::move(text)}} {}
  Text(Span span) : spans{std::move(span)} {}
  Text(std::initializer_list<Span> all) : spans(all) {}
};

struct Heading {
  int level = 1;  ///< 1 is the document's own; what is below level 2 is indented
  Span title;
  std::string detail = {};  ///< beside the title, or below it if there is no room
  bool folded = false;      ///< a page that can may hide what is below it until a click
  std::string anchor = {};  ///< its anchor on a page; empty: after its title
  /// Of level 1, on a page of several documents: what begins here, for the menu and above the
  /// title.
  std::string part = {};
};

struct Paragraph {
  Text text;
  bool apart = false;  ///< belongs to no section: a blank line before it, and no indent
  /// Ids. A terminal shows the text only below a table that shows one of them; none: always.
  std::vector<std::string> of_columns = {};
};

/// Items that may have a list of their own.
struct List {
  struct Item {
    Text text;
    std::vector<Text> more = {};
  };
  std::vector<Item> items = {};
};
List list_of(const std::vector<std::string>& lines);

/// Names and descriptions, side by side.
struct Entries {
  struct Entry {
    std::string name;
    std::string text = {};
  };
  std::vector<Entry> items = {};
  std::size_t depth = 0;  ///< further indented by this many steps

  /// Adds the name, unless there is no text.
  void add(const std::string& name, const std::string& text);
};

/// Numbers are aligned to the right and never cut; words to the left.
enum class Align : std::uint8_t { left, right };

struct Column {
  std::string name;
  std::string id = {};  ///< its name in CSV, if different
  Align align = Align::right;
  /// If a table is too wide, columns of the least priority are dropped first. Those of `essential`
  /// stay.
  int priority = essential;
  /// It distinguishes rows: it stays if two rows would be the same without it, and its text is
  /// wrapped rather than cut.
  bool key = false;
  static constexpr int essential = 100;

  const std::string& id_or_name() const { return id.empty() ? name : id; }
};

struct Cell {
  std::string text = {};  ///< empty: there is no value
  Tone tone = Tone::plain;
  /// The value of the text, in the unit of the column's id; NaN if there is only text.
  double number = std::numeric_limits<double>::quiet_NaN();
  std::string to = {};          ///< anchor that a page leads to
  std::vector<Bar> chart = {};  ///< what `text` draws in characters, for formats that can draw
};

struct Row {
  std::vector<Cell> cells = {};    ///< one per column; none: a line across the table
  std::vector<Span> remarks = {};  ///< remarks on the row, a line each
  std::string anchor = {};         ///< its anchor on a page
  std::string command = {};        ///< that repeats it; a page shows it of the row that it leads to
};

/// A column without a value in any row is not shown, except in CSV.
struct Table {
  std::string caption = {};
  std::vector<Column> columns = {};
  std::vector<Row> rows = {};
  bool matrix = false;  ///< rows and columns are the same things: a page never folds it

  /// Leaves the first rows. The caption then says of how many.
  void keep_first(std::size_t most);
};

/// Who reads a document. A terminal gets long lists cut; a page gets figures and links.
enum class Audience : std::uint8_t { terminal, text, page };

/// Lines as in a file.
struct Code {
  std::string text = {};
};

/// Only pages show figures: a table has the content of a figure, too.
using Block = std::variant<Heading, Paragraph, List, Entries, Table, Code, figure::Figure>;

struct Document {
  std::vector<Block> blocks;

  /// Adds `block`, unless it is a list, a table, a figure or code of nothing.
  void add(Block block);
  /// The same below a heading, which goes with it.
  void add(Heading heading, Block block);
  /// Adds all of `other`, with its headings `deeper` levels down.
  void append(Document other, int deeper = 0);
};

/// How a terminal shows a document.
struct ConsoleStyle {
  bool color = false;
  std::optional<int> width;  ///< columns; none in a log, where tables keep all of theirs
};

/// For people at a terminal, or for a log. No line begins with what GitHub's runner takes for a
/// command, whatever the texts are.
void render_terminal(std::ostream& out, const Document& document, const ConsoleStyle& style);

/// GitHub-flavoured Markdown without raw HTML from any text. `most_bytes`: a list or table takes at
/// most half of the remaining bytes, and says what it left out; this leaves enough for all that
/// follows.
void render_markdown(std::ostream& out, const Document& document,
                     std::size_t most_bytes = SIZE_MAX);

/// The parts above and below a page.
struct PageFrame {
  std::string name;          ///< of the study, the comparison ...
  std::string about = {};    ///< device, commit, date
  std::string made_by = {};  ///< the program and its version
};

/// One file of HTML, without a request of any kind and readable without its script. It begins with
/// the document's heading of level 1.
void render_html(std::ostream& out, const Document& document, const PageFrame& frame);

/// RFC 4180, with a line of titles, every column and numbers with nine significant digits. Text
/// that a spreadsheet would take for a formula gets an apostrophe.
void render_csv(std::ostream& out, const Table& table);

extern const char* const page_style;
extern const char* const page_script;
/// What a page's policy allows: the two, by their SHA-256.
extern const char* const page_digests;

}  // namespace apod::show

/// Of a text without a rule of its own: none.
template <>
struct apod::EnumNames<apod::show::Tone> {
  static constexpr std::array<std::string_view, 6> names{"", "good", "bad", "warning", "dim", ""};
};
