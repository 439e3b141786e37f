#include "benchmarks/text/units.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "benchmarks/report/report.hpp"
#include "benchmarks/report/table.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::report {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(FormatTime, HasFourDigitsAndTheUnitThatFits) {
  EXPECT_EQ(text::format_time(0), "0 s");
  EXPECT_EQ(text::format_time(5.3e-10), "0.530 ns");
  EXPECT_EQ(text::format_time(1e-9), "1.000 ns");
  EXPECT_EQ(text::format_time(12.34e-6), "12.34 us");
  EXPECT_EQ(text::format_time(901.23e-6), "901.2 us");
  EXPECT_EQ(text::format_time(1.2345e-3), "1.234 ms");
  EXPECT_EQ(text::format_time(26.6), "26.60 s");
  EXPECT_EQ(text::format_time(86400), "86400 s");
  EXPECT_EQ(text::format_time(-2e-3), "-2.000 ms");
}

TEST(FormatTime, RoundsIntoTheNextUnit) {
  EXPECT_EQ(text::format_time(999.94e-6), "999.9 us");
  EXPECT_EQ(text::format_time(999.96e-6), "1.000 ms");
  EXPECT_EQ(text::format_time(9.99996e-6), "10.00 us");
  EXPECT_EQ(text::format_time(99.9996e-6), "100.0 us");
}

TEST(FormatTime, SaysNothingOfWhatIsNoNumber) {
  EXPECT_EQ(text::format_time(nan), "-");
  EXPECT_EQ(text::format_time(infinity), "-");
  EXPECT_EQ(text::format_rate(nan, "B/s"), "-");
  EXPECT_EQ(text::format_bytes(infinity), "-");
  EXPECT_EQ(text::format_percent(nan), "-");
  EXPECT_EQ(text::format_duration(-1), "-");
}

TEST(FormatRate, HasThreeDigitsInPowersOfThousand) {
  EXPECT_EQ(text::format_rate(4.55e12, "B/s"), "4.55 TB/s");
  EXPECT_EQ(text::format_rate(999.6e9, "B/s"), "1.00 TB/s");
  EXPECT_EQ(text::format_rate(62.8e12, "FLOP/s"), "62.8 TFLOP/s");
  EXPECT_EQ(text::format_rate(0, "B/s"), "0.00 B/s");
  EXPECT_EQ(text::format_rate(512, "B/s"), "512 B/s");
}

TEST(FormatBytes, HasThreeDigitsInPowersOf1024) {
  EXPECT_EQ(text::format_bytes(0), "0 B");
  EXPECT_EQ(text::format_bytes(1023), "1023 B");
  EXPECT_EQ(text::format_bytes(1024), "1.00 KiB");
  EXPECT_EQ(text::format_bytes(1.5 * 1024 * 1024 * 1024), "1.50 GiB");
  EXPECT_EQ(text::format_bytes(1e30), "8.67e+11 EiB");
}

TEST(FormatDuration, ReadsLikeAClock) {
  EXPECT_EQ(text::format_duration(12.34), "12.3 s");
  EXPECT_EQ(text::format_duration(59.96), "1 min 00 s");
  EXPECT_EQ(text::format_duration(245), "4 min 05 s");
  EXPECT_EQ(text::format_duration(7800), "2 h 10 min");
  EXPECT_EQ(text::format_duration(1e300), "8333333333 h 20 min");
}

TEST(FormatPercent, LosesDecimalsAsItGrows) {
  EXPECT_EQ(text::format_percent(0.0042), "0.42 %");
  EXPECT_EQ(text::format_percent(0.0999), "9.99 %");
  EXPECT_EQ(text::format_percent(0.342), "34.2 %");
  EXPECT_EQ(text::format_percent(1.0611), "106 %");
  EXPECT_EQ(text::format_percent(99.99), "9999 %");
  EXPECT_EQ(text::format_percent(1e200), ">9999 %");
}

TEST(FormatOf, KnowsFourExtensionsInAnyCase) {
  EXPECT_EQ(format_of("a/b.json"), Format::json);
  EXPECT_EQ(format_of("B.CSV"), Format::csv);
  EXPECT_EQ(format_of("x.y.md"), Format::markdown);
  EXPECT_EQ(format_of("x.txt"), Format::console);
  for (const char* path : {"", "json", "a.json/b", "a.yaml", ".json"}) {
    try {
      format_of(path);
      ADD_FAILURE() << path;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(".json, .csv, .md or .txt"), std::string::npos);
    }
  }
}

TEST(Printable, KeepsTextAndDisarmsTheRest) {
  EXPECT_EQ(text::printable("plain µs ≤ 日本 😀"), "plain µs ≤ 日本 😀");
  EXPECT_EQ(text::printable("a\nb\tc\r"), "a b c ");
  EXPECT_EQ(text::printable("\x1b[31m"), "\uFFFD[31m");
  EXPECT_EQ(text::printable(std::string_view("\0", 1)), "\uFFFD");
  EXPECT_EQ(text::printable("\xC2\x9B"), "\uFFFD");          // a C1 control
  EXPECT_EQ(text::printable("\xff\xc3("), "\uFFFD\uFFFD(");  // no lead byte; no continuation
  EXPECT_EQ(text::printable("\xc0\xaf"), "\uFFFD\uFFFD");    // overlong
  EXPECT_EQ(text::printable("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");            // a surrogate
  EXPECT_EQ(text::printable("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond Unicode
  EXPECT_EQ(text::printable("\xe2\x82"), "\uFFFD\uFFFD");                      // cut off
}

TEST(Shorten, TakesTheMiddleAndCountsCodePoints) {
  EXPECT_EQ(text::shorten("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(text::shorten("abcdefghij", 9), "abc...hij");
  EXPECT_EQ(text::shorten("µµµµµµµµµµ", 8), "µµµ...µµ");
  EXPECT_EQ(text::shorten("abcdef", 4), "a...");
  EXPECT_EQ(text::shorten("abcdef", 2), "ab");
  EXPECT_EQ(text::shorten("abcdef", 0), "");
}

TEST(Wrap, BreaksAtSpacesAndKeepsWordsWhole) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(text::wrap("one two three", 13), (Lines{"one two three"}));
  EXPECT_EQ(text::wrap("one two three", 12), (Lines{"one two", "three"}));
  EXPECT_EQ(text::wrap("a much_too_long_word b", 5), (Lines{"a", "much_too_long_word", "b"}));
  EXPECT_EQ(text::wrap("µµµ µµµ", 7), (Lines{"µµµ µµµ"})) << "columns, not bytes";
  EXPECT_EQ(text::wrap("  a   b ", 80), (Lines{"a b"}));
  EXPECT_EQ(text::wrap("", 80), (Lines{""}));
  EXPECT_EQ(text::wrap("a b", 0), (Lines{"a", "b"}));
}

TEST(ShellLine, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(text::shell_line({"bench", "--config", "a.yaml", "--set", "size=2^10"}),
            "bench --config a.yaml --set size=2^10");
  EXPECT_EQ(text::shell_line({"mv", "my runs/a.json", "$HOME"}), "mv 'my runs/a.json' '$HOME'");
  EXPECT_EQ(text::shell_line({"it's", "", "a|b"}), "'it'\\''s' '' 'a|b'");
  EXPECT_EQ(text::shell_line({}), "");
}

/// `change` in the middle of its interval.
std::string with_half(double change, double half) {
  return format_change({change, change - half, change + half});
}

TEST(FormatChange, HasTheDecimalsThatItsIntervalBears) {
  EXPECT_EQ(with_half(0.0612, 0.008), "+6.1 % ±0.8");
  EXPECT_EQ(with_half(-0.0612, 0.0004), "-6.12 % ±0.04");
  EXPECT_EQ(with_half(0.0612, 0), "+6.12 %");
  EXPECT_EQ(with_half(0.0612, 1e-9), "+6.12 % ±<0.01");
  EXPECT_EQ(with_half(12.5, 0.1), "+1250 % ±10");
  EXPECT_EQ(with_half(1e200, 1e199), ">9999 %");
  EXPECT_EQ(text::format_time(1e200), "1e+200 s");
  EXPECT_EQ(with_half(0, 0.01), "+0.0 % ±1.0");
  EXPECT_EQ(with_half(nan, 0.1), "-");
  EXPECT_EQ(with_half(0.5, nan), "+50.00 %");
  EXPECT_EQ(with_half(0.5, infinity), "+50.0 %");
}

TEST(FormatChange, ALopsidedIntervalHasTwoEnds) {
  EXPECT_EQ(format_change({0.1, -0.05, 0.8}), "+10.0 % -15.0/+70.0");
  EXPECT_EQ(format_change({0.1, 0.0, 0.24}), "+10.0 % ±12.0") << "nearly even";
  EXPECT_EQ(format_change({0.1, -0.9, 40}), "+10.0 % ±>999");
}

TEST(FormatSpread, IsRelativeAndSaysBothEndsWhereTheyDiffer) {
  EXPECT_EQ(format_spread({2, 1.9, 2.1}), "5.00 %");
  EXPECT_EQ(format_spread({2, 0, 26}), "-100/+1200 %");
  EXPECT_EQ(format_spread({2, 2, 2}), "-");
  const double next = std::nextafter(2, 3);
  EXPECT_EQ(format_spread({2, 2, next}), "0.00 %") << "rounding has no side";
}

Table wide_table() {
  Table table;
  table.columns = {{"name", false}, {"time"}, {"nice to have", true, 20}, {"luxury", true, 10}};
  table.rows = {{{"a_rather_long_variant_name"}, {"1.000 ms"}, {"12"}, {"13"}}};
  return table;
}

std::string printed(const Table& table, int width) {
  std::ostringstream out;
  print(out, table, {.color = false, .width = width});
  return out.str();
}

TEST(PrintTable, DropsTheLeastImportantColumnsFirst) {
  EXPECT_NE(printed(wide_table(), 60).find("luxury"), std::string::npos);
  const std::string narrow = printed(wide_table(), 54);
  EXPECT_NE(narrow.find("not shown for want of width: luxury\n"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("nice to have"), std::string::npos) << narrow;
}

TEST(PrintTable, NeverExceedsTheWidthWhileWordsCanBeShortened) {
  for (int width = 24; width < 80; ++width) {
    std::istringstream lines(printed(wide_table(), width));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(text::display_width(line), static_cast<std::size_t>(width)) << line;
    }
  }
  EXPECT_NE(printed(wide_table(), 30).find("a_rather...nt_name"), std::string::npos)
      << printed(wide_table(), 30);
}

TEST(PrintTable, TakesAsManyColumnsAsItSays) {
  std::istringstream lines(printed(wide_table(), 1000));
  std::string title;
  std::string rule;
  std::getline(lines, title);
  std::getline(lines, rule);
  EXPECT_EQ(text::display_width(rule), width_of(wide_table()));
}

TEST(PrintTable, AHeadingSpansTheLineAndMakesNoColumnWider) {
  Table table;
  table.columns = {{"a", false}, {"b"}};
  table.rows = {{{"a heading of its own"}}, {{"x"}, {"1"}}};
  EXPECT_EQ(printed(table, 80), "  a  b\n  ─  ─\n  a heading of its own\n  x  1\n  ─  ─\n");
}

TEST(PrintMarkdown, EscapesWhatWouldBreakTheTable) {
  Table table;
  table.columns = {{"a|b", false}, {"n"}};
  table.rows = {{{"x | `y` <z>"}, {"1"}}};
  std::ostringstream out;
  print_markdown(out, table);
  EXPECT_EQ(out.str(), "| a\\|b | n |\n| :--- | ---: |\n| x \\| \\`y\\` \\<z\\> | 1 |\n");
}

}  // namespace
}  // namespace apod::report
