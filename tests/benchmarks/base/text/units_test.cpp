#include "benchmarks/base/text/units.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "benchmarks/base/text/plain.hpp"

namespace apod::text {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(FormatTime, HasFourDigitsAndTheUnitThatFits) {
  EXPECT_EQ(format_time(0), "0 s");
  EXPECT_EQ(format_time(5.3e-10), "0.530 ns");
  EXPECT_EQ(format_time(1e-9), "1.000 ns");
  EXPECT_EQ(format_time(12.34e-6), "12.34 us");
  EXPECT_EQ(format_time(901.23e-6), "901.2 us");
  EXPECT_EQ(format_time(1.2345e-3), "1.234 ms");
  EXPECT_EQ(format_time(26.6), "26.60 s");
  EXPECT_EQ(format_time(86400), "86400 s");
  EXPECT_EQ(format_time(-2e-3), "-2.000 ms");
}

TEST(FormatTime, RoundsIntoTheNextUnit) {
  EXPECT_EQ(format_time(999.94e-6), "999.9 us");
  EXPECT_EQ(format_time(999.96e-6), "1.000 ms");
  EXPECT_EQ(format_time(9.99996e-6), "10.00 us");
  EXPECT_EQ(format_time(99.9996e-6), "100.0 us");
}

TEST(FormatTime, SaysNothingOfWhatIsNoNumber) {
  EXPECT_EQ(format_time(nan), "-");
  EXPECT_EQ(format_time(infinity), "-");
  EXPECT_EQ(format_rate(nan, "B/s"), "-");
  EXPECT_EQ(format_bytes(infinity), "-");
  EXPECT_EQ(format_percent(nan), "-");
  EXPECT_EQ(format_duration(-1), "-");
}

TEST(FormatRate, HasThreeDigitsInPowersOfThousand) {
  EXPECT_EQ(format_rate(4.55e12, "B/s"), "4.55 TB/s");
  EXPECT_EQ(format_rate(999.6e9, "B/s"), "1.00 TB/s");
  EXPECT_EQ(format_rate(62.8e12, "FLOP/s"), "62.8 TFLOP/s");
  EXPECT_EQ(format_rate(0, "B/s"), "0.00 B/s");
  EXPECT_EQ(format_rate(512, "B/s"), "512 B/s");
}

TEST(FormatBytes, HasThreeDigitsInPowersOf1024) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.00 KiB");
  EXPECT_EQ(format_bytes(1.5 * 1024 * 1024 * 1024), "1.50 GiB");
  EXPECT_EQ(format_bytes(1e30), "8.67e+11 EiB");
}

TEST(FormatDuration, ReadsLikeAClock) {
  EXPECT_EQ(format_duration(12.34), "12.3 s");
  EXPECT_EQ(format_duration(59.96), "1 min 00 s");
  EXPECT_EQ(format_duration(245), "4 min 05 s");
  EXPECT_EQ(format_duration(7800), "2 h 10 min");
  EXPECT_EQ(format_duration(1e300), "8333333333 h 20 min");
}

TEST(FormatPercent, LosesDecimalsAsItGrows) {
  EXPECT_EQ(format_percent(0.0042), "0.42 %");
  EXPECT_EQ(format_percent(0.0999), "9.99 %");
  EXPECT_EQ(format_percent(0.342), "34.2 %");
  EXPECT_EQ(format_percent(1.0611), "106 %");
  EXPECT_EQ(format_percent(99.99), "9999 %");
  EXPECT_EQ(format_percent(1e200), ">9999 %");
}

TEST(Printable, KeepsTextAndDisarmsTheRest) {
  EXPECT_EQ(printable("plain µs ≤ 日本 😀"), "plain µs ≤ 日本 😀");
  EXPECT_EQ(printable("a\nb\tc\r"), "a b c ");
  EXPECT_EQ(printable("\x1b[31m"), "\uFFFD[31m");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\uFFFD");
  EXPECT_EQ(printable("\xC2\x9B"), "\uFFFD");                  // a C1 control
  EXPECT_EQ(printable("\xff\xc3("), "\uFFFD\uFFFD(");          // no lead byte; no continuation
  EXPECT_EQ(printable("\xc0\xaf"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond Unicode
  EXPECT_EQ(printable("\xe2\x82"), "\uFFFD\uFFFD");                      // cut off
  for (const char* mark :
       {"\u061C", "\u200E", "\u200F", "\u202A", "\u202E", "\u2066", "\u2069", "\u00AD", "\u200B",
        "\u2028", "\u2060", "\u3164", "\uFEFF", "\U000E0041"}) {
    EXPECT_EQ(printable(mark), "\uFFFD") << "nobody sees it";
  }
  EXPECT_EQ(printable("\u200D\u2010\u202F\u2070"), "\u200D\u2010\u202F\u2070");
}

TEST(WithoutSharedParts, KeepsWhatTellsNamesApart) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(without_shared_parts({"slowed/spin/length:1", "slowed/spin/length:2"}),
            (Names{"length:1", "length:2"}));
  EXPECT_EQ(without_shared_parts({"all_reduce/size:4/float/in", "all_gather/size:8/float/in"}),
            (Names{"all_reduce/size:4", "all_gather/size:8"}));
  EXPECT_EQ(without_shared_parts({"a/x/1", "b/x/2"}), (Names{"a/1", "b/2"})) << "within them too";
  EXPECT_EQ(without_shared_parts({"a/x/1", "a/x"}), (Names{"x/1", "x"})) << "each keeps a part";
  EXPECT_EQ(without_shared_parts({"a/b", "a/b"}), (Names{"b", "b"}));
  EXPECT_EQ(without_shared_parts({"a/b", "", "a/c"}), (Names{"b", "", "c"}));
  EXPECT_EQ(without_shared_parts({"a/b"}), (Names{"a/b"}));
}

TEST(Shorten, TakesTheMiddleAndCountsCodePoints) {
  EXPECT_EQ(shorten("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(shorten("abcdefghij", 9), "abc...hij");
  EXPECT_EQ(shorten("µµµµµµµµµµ", 8), "µµµ...µµ");
  EXPECT_EQ(shorten("abcdef", 4), "a...");
  EXPECT_EQ(shorten("abcdef", 2), "ab");
  EXPECT_EQ(shorten("abcdef", 0), "");
}

TEST(Shorten, ShowsANumberWholeOrNotAtAll) {
  EXPECT_EQ(shorten("sums/warp/size:268435456/fp32", 20), "sums/warp.../fp32");
  EXPECT_EQ(shorten("size:268435456, accumulator fp32", 18), "size:...or fp32");
  EXPECT_EQ(shorten("a 1.5e-05 of all of the words", 8), "a ...ds");
  EXPECT_EQ(shorten("268435456", 5), "...");
  const auto around = [](std::string_view text, std::size_t at) {
    const auto [begin, end] = number_around(text, at);
    return text.substr(begin, end - begin);
  };
  EXPECT_EQ(around("of 64MiB each", 4), "64MiB");
  EXPECT_EQ(around("at 2^28.", 5), "2^28");
  EXPECT_EQ(around("1.5e-05 s", 4), "1.5e-05");
  EXPECT_EQ(around("fp32x4", 4), "");
  EXPECT_EQ(around("a 12 b", 2), "") << "before it";
  EXPECT_EQ(around("a 12 b", 4), "") << "behind it";
  EXPECT_EQ(around("a 12", 4), "") << "at the end";
}

TEST(Shorten, NamesThatWouldBecomeEqualStayWhole) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(shorten_apart({"begin_x_the_end", "begin_y_the_end", "another_long_one"}, 9),
            (Names{"begin_x_the_end", "begin_y_the_end", "ano...one"}));
}

TEST(Shorten, LongNamesAreCutAroundTheirDifference) {
  const std::string begin = "Cijk_Alik_Bljk_MT32x32x256_SN_LDSB1_AFC1_AFEM1_PGR2";
  const std::string end = "_NLCA1_NLCB1_ONLL1_PGR2_PLR1_PKA1_SIA3_SS1_SPO0_SVW1_WG32";
  const auto names = shorten_apart({begin + "_NTA0" + end, begin + "_NTA4" + end, "short"}, 40);
  EXPECT_EQ(names[0], "Cijk_Alik_Blj..._NTA0_NLCA1..._SVW1_WG32");
  EXPECT_EQ(names[1], "Cijk_Alik_Blj..._NTA4_NLCA1..._SVW1_WG32");
}

TEST(Wrap, BreaksAtSpacesAndKeepsWordsWhole) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrap("one two three", 13), (Lines{"one two three"}));
  EXPECT_EQ(wrap("one two three", 12), (Lines{"one two", "three"}));
  EXPECT_EQ(wrap("a much_too_long_word b", 5), (Lines{"a", "much_too_long_word", "b"}));
  EXPECT_EQ(wrap("µµµ µµµ", 7), (Lines{"µµµ µµµ"})) << "columns, not bytes";
  EXPECT_EQ(wrap("  a   b ", 80), (Lines{"a b"}));
  EXPECT_EQ(wrap("", 80), (Lines{""}));
  EXPECT_EQ(wrap("a b", 0), (Lines{"a", "b"}));
  EXPECT_EQ(wrap("saves 24.4 % ±0.96 % of it", 10), (Lines{"saves", "24.4 %", "±0.96 % of", "it"}))
      << "a number keeps its unit";
  EXPECT_EQ(wrap("8 streams of sm90 code", 8), (Lines{"8 streams", "of sm90", "code"}));
}

TEST(ShellLine, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(shell_line({"bench", "--config", "a.yaml", "--set", "size=2^10"}),
            "bench --config a.yaml --set size=2^10");
  EXPECT_EQ(shell_line({"mv", "my runs/a.json", "$HOME"}), "mv 'my runs/a.json' '$HOME'");
  EXPECT_EQ(shell_line({"it's", "", "a|b"}), "'it'\\''s' '' 'a|b'");
  EXPECT_EQ(shell_line({}), "");
}

// What bash makes of them is in tests/cli.
TEST(ShellLine, WritesWhatCannotBeShown) {
  EXPECT_EQ(shell_line({"--filter", "a\tb"}), R"(--filter $'a\011b')");
  EXPECT_EQ(shell_line({"it's\n\\"}), R"($'it\'s\012\\')");
  EXPECT_EQ(shell_line({"\x1b[1m\xff\u00e9"}), "$'\\033[1m\\377\u00e9'");
  EXPECT_EQ(shell_line({"##[group]"}), R"($'##\133group]')");
  for (const std::string word : {"a\tb", "\x1b[31m", "\xc3", "\u202e", "##[x", "###[[", "1\b2"}) {
    const auto line = shell_line({word});
    EXPECT_EQ(printable(line), line) << line;
  }
}

}  // namespace
}  // namespace apod::text
