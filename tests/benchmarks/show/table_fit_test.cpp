// How tables get into the width that there is.

#include "benchmarks/show/table_fit.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "benchmarks/base/text/plain.hpp"
#include "tests/support/texts.hpp"

namespace apod::show {
namespace {

using Lines = std::vector<std::string>;

std::string printed(const Table& table, int width) {
  Document document;
  document.add(table);
  std::ostringstream out;
  render_terminal(out, document, {.color = false, .width = width});
  return out.str();
}

Column key(const std::string& name, int priority = Column::essential) {
  return {.name = name, .align = Align::left, .priority = priority, .key = true};
}

Table table_of(std::vector<Column> columns, const std::vector<Lines>& rows) {
  Table table{"", std::move(columns)};
  for (const auto& row : rows) {
    auto& cells = table.rows.emplace_back().cells;
    for (const auto& text : row) cells.push_back({text});
  }
  return table;
}

TEST(Fit, LeavesOutTheLeastImportantColumnsFirstAndNamesThem) {
  const auto table = table_of(
      {key("name"), {"time"}, {.name = "nice", .priority = 20}, {.name = "luxury", .priority = 10}},
      {{"a_variant_of_some_length", "1.000 ms", "1234567", "12345678"}});
  EXPECT_FALSE(contains(printed(table, 60), "not shown"));
  const auto narrow = printed(table, 50);
  EXPECT_TRUE(contains(narrow, "not shown (no room): luxury\n"));
  EXPECT_TRUE(contains(narrow, "nice"));
  EXPECT_TRUE(contains(printed(table, 44), "(no room): luxury, nice\n"));
}

TEST(Fit, NoLineIsWiderThanThePage) {
  const auto table = table_of(
      {key("a case of many words"),
       key("host_memory_kind"),
       {"time"},
       {.name = "x", .priority = 1}},
      {{"streams/normalize/grid_stride/size:100000000/streams:4", "pageable", "1.000 ms", "1"},
       {std::string(200, 'y'), "pinned", "22.22 us", "2"}});
  for (int width = 48; width < 160; ++width) {
    std::istringstream lines(printed(table, width));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(text::display_width(line), static_cast<std::size_t>(width)) << line;
    }
  }
}

TEST(Fit, TitlesAreWrappedBeforeAColumnIsLeftOut) {
  const auto table =
      table_of({{"host_memory"}, {.name = "tensor cores", .priority = 1}}, {{"12345", "yes"}});
  EXPECT_EQ(printed(table, 20),
            "     host_    tensor\n"
            "    memory     cores\n"
            "  ────────  ────────\n"
            "     12345       yes\n"
            "  ────────  ────────\n");
}

TEST(Fit, AColumnWithoutAValueIsLeftOutAndAMissingNumberIsADash) {
  EXPECT_EQ(
      printed(table_of({key("a"), {"b"}, key("c"), {"d"}}, {{"x", "", "", "1"}, {"y", "", "", ""}}),
              80),
      "  a  d\n"
      "  ─  ─\n"
      "  x  1\n"
      "  y  -\n"
      "  ─  ─\n");
}

TEST(Fit, AColumnThatMostRowsLackGoesFirst) {
  const std::vector<Column> columns{
      key("name"), {.name = "rate", .priority = 40}, {.name = "bound", .priority = 60}};
  const std::vector<Lines> rows{{"one", "1234567", "memory"}, {"two", "1234567", ""}};
  EXPECT_TRUE(contains(printed(table_of(columns, rows), 20), "room): rate\n")) << "half have it";
  auto fewer = rows;
  fewer.push_back({"three", "1234567", text::no_value});
  EXPECT_TRUE(contains(printed(table_of(columns, fewer), 20), "room): bound\n"));
}

TEST(Fit, AColumnThatTellsTwoRowsApartStays) {
  const std::vector<Column> columns{key("kernel"), {"time"}, key("grid", 5), key("block", 4)};
  const auto differs =
      table_of(columns, {{"void sum<float>(float const*)", "1.000 ms", "128", "64"},
                         {"void sum<float>(float const*)", "1.000 ms", "256", "64"}});
  const auto shown = printed(differs, 47);
  EXPECT_TRUE(contains(shown, "grid"));
  EXPECT_TRUE(contains(shown, "not shown (no room): block\n"));
  const auto alike =
      table_of(columns, {{"void sum<float>(float const*)", "1.000 ms", "128", "64"},
                         {"void max<float>(float const*)", "1.000 ms", "256", "64"}});
  EXPECT_TRUE(contains(printed(alike, 44), "(no room): block, grid\n"));
}

TEST(CellLines, AKeyIsWrappedAndAWordIsShortened) {
  auto table = table_of({key("name"), {.name = "word", .align = Align::left}},
                        {{"reduction/warp_shuffle/size:1048576", "abcdefghij"}});
  EXPECT_EQ(cell_lines(table, 0, 20)[0], (Lines{"reduction/warp_", "shuffle/size:1048576"}));
  EXPECT_EQ(cell_lines(table, 1, 9)[0], (Lines{"abc...hij"}));
}

TEST(CellLines, NoTwoKeysReadTheSame) {
  const auto name = [](char middle) {
    return std::string(300, 'a') + middle + std::string(300, 'b');
  };
  const auto table = table_of({key("name")}, {{name('x')}, {name('y')}, {std::string(600, 'c')}});
  const auto cells = cell_lines(table, 0, 20);
  EXPECT_EQ(std::set<Lines>(cells.begin(), cells.end()).size(), 3u);
  EXPECT_GT(cells[0].size(), 4u) << "whole, for its middle tells it apart";
  EXPECT_EQ(cells[2].size(), 4u);
}

TEST(CellLines, NamesThatReadAlikeWhenCutAreWrapped) {
  const auto table = table_of({{.name = "kernel", .align = Align::left}},
                              {{"gemm_128x64_tn_cublas"}, {"gemm_128x64_nt_cublas"}});
  const auto cells = cell_lines(table, 0, 14);
  EXPECT_NE(cells[0], cells[1]);
  EXPECT_EQ(cells[0].size(), 2u);
}

TEST(WrapName, BreaksAtBlanksAtJointsOrAnywhere) {
  EXPECT_EQ(wrap_name("one two three", 8), (Lines{"one two", "three"}));
  EXPECT_EQ(wrap_name("abc/def/ghi", 8), (Lines{"abc/def/", "ghi"}));
  EXPECT_EQ(wrap_name("root:-1/out", 7), (Lines{"root:", "-1/out"}))
      << "a sign stays with its number";
  EXPECT_EQ(wrap_name("abcdefghij", 4), (Lines{"abcd", "efgh", "ij"}));
  EXPECT_EQ(wrap_name("p (Holm)", 7), (Lines{"p", "(Holm)"}));
  EXPECT_EQ(wrap_name("of device work", 8), (Lines{"of", "device", "work"}));
  EXPECT_EQ(wrap_name("µµµµ", 3), (Lines{"µµµ", "µ"}));
  EXPECT_EQ(wrap_name("", 3), (Lines{""}));
  EXPECT_EQ(wrap_name("ab", 0), (Lines{"a", "b"}));
}

}  // namespace
}  // namespace apod::show
