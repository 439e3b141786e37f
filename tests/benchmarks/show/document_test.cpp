// The renderers, on documents of a few lines.

#include "benchmarks/show/document.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "benchmarks/base/text/plain.hpp"
#include "tests/benchmarks/show/texts.hpp"

namespace apod::show {
namespace {

std::string terminal(const Document& document, int width = 80, bool color = false) {
  std::ostringstream out;
  render_terminal(out, document, {color, width});
  return out.str();
}

std::string markdown(const Document& document, std::size_t most_bytes = SIZE_MAX) {
  std::ostringstream out;
  render_markdown(out, document, most_bytes);
  return out.str();
}

std::string csv(const Table& table) {
  std::ostringstream out;
  render_csv(out, table);
  return out.str();
}

Table sample_table() {
  Table table{"kernels (2 of 3)",
              {{.name = "kernel", .align = Align::left, .key = true},
               {"time", "time_s"},
               {"empty"},
               {.name = "share", .priority = 10}}};
  table.rows = {{{{"sum<float>"}, {"12.34 us", Tone::plain, 1.234e-5}, {}, {"97.7 %"}},
                 {{"moved by 3 %", Tone::dim}}},
                {{{"copy"}, {}, {}, {"2.3 %"}}},
                {{}, {{"a line across", Tone::warning}}}};
  return table;
}

Document sample() {
  Document document;
  document.add(Heading{1, {"streams"}, "one array over N streams"});
  document.add(Paragraph{{{"NVIDIA H200, "}, {"busy", Tone::warning}}});
  document.add(Heading{2, {"failed (1)", Tone::bad}});
  document.add(List{{{"no memory", {Span{"a/b/c", Tone::dim}}}, {Span{"bench run", {}, true}}}});
  document.add(List{});
  document.add(sample_table());
  document.add(Heading{.level = 2, .title = {"others"}, .folded = true});
  document.add(Paragraph{"none"});
  document.add(Entries{});
  document.add(
      Entries{{{"cub", "of a library"}, {"a_name_that_has_no_room_beside", "x"}, {"axes"}}});
  document.add(Entries{{{"size", "elements"}}, 1});
  document.add(Paragraph{Span{"1 failed", Tone::strong}, true});
  return document;
}

TEST(Terminal, ShowsADocument) {
  EXPECT_EQ(terminal(sample()),
            "streams  one array over N streams\n"
            "NVIDIA H200, busy\n"
            "\n"
            "failed (1)\n"
            "  no memory\n"
            "    a/b/c\n"
            "  bench run\n"
            "  kernels (2 of 3)\n"
            "  kernel          time   share\n"
            "  ──────────  ────────  ──────\n"
            "  sum<float>  12.34 us  97.7 %\n"
            "      moved by 3 %\n"
            "  copy               -   2.3 %\n"
            "  a line across\n"
            "  ──────────  ────────  ──────\n"
            "\n"
            "others\n"
            "  none\n"
            "  cub                       of a library\n"
            "  a_name_that_has_no_room_beside\n"
            "                            x\n"
            "  axes\n"
            "    size  elements\n"
            "\n"
            "1 failed\n");
}

TEST(Markdown, ShowsADocument) {
  EXPECT_EQ(markdown(sample()),
            "## streams\n"
            "\n"
            "one array over N streams\n"
            "\n"
            "NVIDIA H200, busy\n"
            "\n"
            "### failed (1)\n"
            "\n"
            "- no memory\n"
            "  - a/b/c\n"
            "- `bench run`\n"
            "\n"
            "kernels (2 of 3)\n"
            "\n"
            "| kernel | time | share |\n"
            "| :--- | ---: | ---: |\n"
            "| sum&lt;float> | 12.34 us | 97.7 % |\n"
            "| copy | - | 2.3 % |\n"
            "| a line across |  |  |\n"
            "\n"
            "- **sum&lt;float>**\n"
            "  - moved by 3 %\n"
            "\n"
            "<details><summary>others</summary>\n"
            "\n"
            "none\n"
            "\n"
            "- `cub`: of a library\n"
            "- `a_name_that_has_no_room_beside`: x\n"
            "- `axes`\n"
            "\n"
            "- `size`: elements\n"
            "\n"
            "**1 failed**\n"
            "\n"
            "</details>\n");
}

TEST(Csv, HasEveryColumnAndNumbersWithAllTheirDigits) {
  EXPECT_EQ(csv(sample_table()),
            "kernel,time_s,empty,share\n"
            "sum<float>,1.234e-05,,97.7 %\n"
            "copy,,,2.3 %\n");
}

TEST(Csv, QuotesAsRfc4180AsksAndDisarmsFormulas) {
  const auto field = [](const std::string& text) {
    const auto all = csv({"", {{"x"}}, {{{{text}}}}});
    return all.substr(2, all.size() - 3);
  };
  EXPECT_EQ(field("a,b"), "\"a,b\"");
  EXPECT_EQ(field("a \"b\""), "\"a \"\"b\"\"\"");
  EXPECT_EQ(field("two\nlines"), "two lines");
  EXPECT_EQ(field("=1+1"), "'=1+1");
  EXPECT_EQ(field("@sum(a)"), "'@sum(a)");
  EXPECT_EQ(field("+cmd|' /c calc'!a"), "'+cmd|' /c calc'!a");
  EXPECT_EQ(field("\uFF1D1+1"), "'\uFF1D1+1");
  for (const char* number : {"-1.5e-3", "+4", "-0"}) EXPECT_EQ(field(number), number);
  const auto number = [](double value) { return csv({"", {{"x"}}, {{{{"", {}, value}}}}}); };
  EXPECT_EQ(number(12345678901.0), "x\n12345678901\n") << "a whole number has all its digits";
  EXPECT_EQ(number(0.1), "x\n0.1\n");
  EXPECT_EQ(number(std::numeric_limits<double>::infinity()), "x\n\n");
}

TEST(Terminal, ColoursChangeNothingButColours) {
  std::string colored = terminal(sample(), 80, true);
  EXPECT_TRUE(contains(colored, "\x1b[31mfailed (1)\x1b[0m"));
  EXPECT_TRUE(contains(colored, "\x1b[33mbusy\x1b[0m"));
  for (std::size_t at; (at = colored.find("\x1b[")) != std::string::npos;) {
    colored.erase(at, colored.find('m', at) - at + 1);
  }
  EXPECT_EQ(colored, terminal(sample()));
}

TEST(Terminal, WrapsAtBlanksAndKeepsANumberWithItsUnit) {
  Document document;
  document.add(Paragraph{"span 19.50 ms, in kernels 11.20 ms, streams 4"});
  document.add(List{{{"a_word_that_is_wider_than_the_page is kept whole"}}});
  EXPECT_EQ(lines_of(terminal(document, 26)),
            (std::vector<std::string>{"span 19.50 ms, in kernels", "11.20 ms, streams 4",
                                      "a_word_that_is_wider_than_the_page", "  is kept whole"}));
}

/// Made of what each format takes for its own, and of bytes that are no text.
const std::vector<std::string>& odd_texts() {
  static const std::vector<std::string> texts{
      "two\nlines\r\n\tand a tab",
      std::string("nul\0inside", 10),
      "\x1B[31mred\x1B[0m\x07 \x7F",
      "\xC2\x85 and \xC2\x9B are controls",
      "\xFF\xFE broken \xC3(\xED\xA0\x80\xC0\xAF\xE2\x82",
      "\u202Ereversed\u202C \u2066isolated\u2069 \u200Fmarked\u200E\u061C",
      "| a | b |\n|---|---|",
      "`code` ``x`` **bold** [link](x) ![image](y) ~~z~~ \\",
      "<script>alert(1)</script> <!-- --> &lt; &amp;",
      "# heading",
      "::stop-commands::x",
      "  ::error title=x::y",
      "##[group]x",
      "a ::add-mask::b ##[error]c",
      "name/of_many:parts,that/may/be::stop-commands::/broken::anywhere/by##[group]a/line/end",
      "=1+1",
      std::string(300, 'x'),
  };
  return texts;
}

Document hostile_document() {
  Document document;
  Table table{odd_texts()[5],
              {{.name = odd_texts()[2], .align = Align::left, .key = true},
               {.name = odd_texts()[6], .align = Align::left},
               {"time"}}};
  for (const auto& text : odd_texts()) {
    document.add(Heading{2, {text}, text});
    document.add(Paragraph{text});
    document.add(Paragraph{Span{text, Tone::strong}, true});
    document.add(Paragraph{Span{text, Tone::plain, true}});
    document.add(List{{{text, {text}}}});
    document.add(Entries{{{text, text}}, 1});
    table.rows.push_back({{{text}, {text}, {text}}, {{text}}});
    table.rows.push_back({{}, {{text}}});
  }
  document.add(table);
  return document;
}

/// What is in `text` and may be in none: control characters, broken UTF-8, marks that turn the
/// direction of a line.
::testing::AssertionResult is_harmless(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text::printable(text) == text) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << text;
}

/// GitHub's runner trims a line and takes it for a command by how it begins.
bool is_command(const std::string& line) {
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return false;
  return line.compare(begin, 2, "::") == 0 || line.compare(begin, 3, "##[") == 0;
}

TEST(EveryRenderer, MakesTextHarmless) {
  for (const int width : {20, 31, 47, 80, 120}) {
    EXPECT_TRUE(is_harmless(terminal(hostile_document(), width)));
  }
  EXPECT_TRUE(is_harmless(markdown(hostile_document())));
  EXPECT_TRUE(is_harmless(csv(std::get<Table>(hostile_document().blocks.back()))));
}

TEST(EveryRenderer, PrintsNoCommandOfGitHubsRunner) {
  ASSERT_TRUE(is_command("  ::stop-commands::x") && is_command("##[group]"));
  std::vector<std::string> pages{markdown(hostile_document()),
                                 csv(std::get<Table>(hostile_document().blocks.back()))};
  for (int width = 20; width < 130; ++width) pages.push_back(terminal(hostile_document(), width));
  for (const auto& page : pages) {
    for (const auto& line : lines_of(page)) EXPECT_FALSE(is_command(line)) << line;
  }
}

TEST(Markdown, TextMeansNothing) {
  const auto paragraph = [](const std::string& text) {
    Document document;
    document.add(Paragraph{text});
    const auto all = markdown(document);
    return all.substr(0, all.size() - 1);
  };
  EXPECT_EQ(paragraph("a|b `c` *d* [e](f) ~g~ \\"),
            "a\\|b \\`c\\` \\*d\\* \\[e\\](f) \\~g\\~ \\\\");
  EXPECT_EQ(paragraph("<b> & x -> y"), "&lt;b> &amp; x -> y");
  EXPECT_EQ(paragraph("grid_stride _x_"), "grid_stride \\_x\\_");
  EXPECT_EQ(paragraph("# a"), "\\# a");
  EXPECT_EQ(paragraph("- a"), "\\- a");
  EXPECT_EQ(paragraph("---"), "\\---");
  EXPECT_EQ(paragraph("> a"), "\\> a");
  EXPECT_EQ(paragraph("1. a"), "1\\. a");
  EXPECT_EQ(paragraph("19.84 ms"), "19.84 ms");
  EXPECT_EQ(paragraph("-2.5 %"), "-2.5 %");
  Document code;
  code.add(Paragraph{Span{"a `b`", Tone::plain, true}});
  EXPECT_EQ(markdown(code), "`` a `b` ``\n");
}

TEST(Markdown, NoWordTellsSomebodyOrLeadsElsewhere) {
  for (const auto& [word, shown] : std::vector<std::pair<std::string, std::string>>{
           {"@somebody", "`@somebody`"},
           {"a/@team/b<c>", "`a/@team/b<c>`"},
           {"x#12", "`x#12`"},
           {"https://a.org/_b_", "`https://a.org/_b_`"},
           {"www.a.org", "`www.a.org`"},
           {"say `@somebody`", "say `` `@somebody` ``"},
           {"random #a @ 5 us", "random #a @ 5 us"}}) {
    Document document;
    document.add(Paragraph{word});
    EXPECT_EQ(markdown(document), shown + "\n");
  }
}

TEST(Markdown, NoNameEndsItsCellOrItsLine) {
  Table table{"", {{.name = "a", .align = Align::left}, {"b"}}};
  for (const auto& text : odd_texts()) table.rows.push_back({{{text}, {text}}});
  Document document;
  document.add(table);
  const auto lines = lines_of(markdown(document));
  EXPECT_EQ(lines.size(), table.rows.size() + 2);
  for (const auto& line : lines) {
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\')
        ++i;
      else
        bars += line[i] == '|' ? 1 : 0;
    }
    EXPECT_EQ(bars, 3u) << line;
  }
}

TEST(Markdown, KeepsToItsRoomAndSaysWhatItLeftOut) {
  Document document;
  List list;
  Table table{"", {{.name = "name", .align = Align::left}}};
  for (std::size_t i = 0; i < 10'000; ++i) {
    list.items.push_back({"item " + std::to_string(i)});
    table.rows.push_back({{{"row " + std::to_string(i)}}, {{"a remark"}}});
  }
  document.add(list);
  document.add(table);
  document.add(List{{{"the last word"}}});
  const auto page = markdown(document, 20'000);
  EXPECT_LT(page.size(), 20'000u);
  EXPECT_GT(page.size(), 15'000u);
  EXPECT_TRUE(contains(page, "more lines left out"));
  EXPECT_TRUE(contains(page, "more rows left out"));
  EXPECT_TRUE(contains(page, "the last word"));
  EXPECT_FALSE(contains(markdown(document), "left out"));
}

}  // namespace
}  // namespace apod::show
