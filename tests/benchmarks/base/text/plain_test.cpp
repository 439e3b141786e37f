#include "benchmarks/base/text/plain.hpp"

#include <gtest/gtest.h>

namespace apod::text {
namespace {

using Words = std::vector<std::string>;

TEST(ShellWords, AreTakenApartAtBlanksOutsideOfQuotes) {
  EXPECT_EQ(shell_words("  a  b\tc "), (Words{"a", "b", "c"}));
  EXPECT_EQ(shell_words(R"(a 'b c' "d \" e"f g\ h '' 'i\j')"),
            (Words{"a", "b c", "d \" ef", "g h", "", "i\\j"}));
  EXPECT_EQ(shell_words("$HOME *.txt | a; b"), (Words{"$HOME", "*.txt", "|", "a;", "b"}));
  EXPECT_EQ(shell_words(" "), Words{});
  EXPECT_EQ(shell_words("a 'b"), std::nullopt);
}

TEST(ShellWords, AreThoseOfAShellLine) {
  const Words words{"a b", "it's", "", "{x}", "\\", "\"", "plain"};
  EXPECT_EQ(shell_words(shell_line(words)), words);
}

TEST(ShortFlags, AreTakenApartUpToTheOneThatTakesAValue) {
  Words words{"-qo", "r.json", "-qqcq", "-oq", "--qo", "-q", "-"};
  split_short_flags(words, "hq");
  EXPECT_EQ(words, (Words{"-q", "-o", "r.json", "-q", "-q", "-cq", "-oq", "--qo", "-q", "-"}));
}

TEST(Lists, AreSplitAndJoinedAgain) {
  EXPECT_EQ(split("a,,b c,", ','), (Words{"a", "", "b c", ""}));
  EXPECT_EQ(split("", ','), Words{""});
  EXPECT_EQ(joined(split("a,,b c,", ','), ","), "a,,b c,");
  EXPECT_EQ(joined(Words{}, ", "), "");
  const auto in_quotes_too = [](const std::string& word) { return "'" + word + "'"; };
  EXPECT_EQ(joined(Words{"a", "b"}, " or ", in_quotes_too), "'a' or 'b'");
  EXPECT_EQ(first_few(Words{"a", "b"}, 2), "a, b");
  EXPECT_EQ(first_few(Words{"a", "b", "c"}, 1), "a and 2 more");
}

TEST(Parts, AreInATextOrBeginIt) {
  EXPECT_EQ(lower("NVIDIA H200, 2 µs"), "nvidia h200, 2 µs");
  EXPECT_TRUE(holds_any("cudaMalloc", {"Free", "Mall"}));
  EXPECT_FALSE(holds_any("cudaMalloc", {"Free", "mall"}));
  EXPECT_TRUE(begins_with_any("cudaMalloc", {"cu", "nv"}));
  EXPECT_FALSE(begins_with_any("cudaMalloc", Words{"Malloc"}));
}

}  // namespace
}  // namespace apod::text
