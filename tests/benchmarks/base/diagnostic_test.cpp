#include <gtest/gtest.h>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/base/text/plain.hpp"

namespace apod {
namespace {

TEST(Diagnostic, ShowsWhatIsThere) {
  EXPECT_EQ(to_string(Diagnostic{"a.yaml", {3, 5}, "bad", "do this"}), "a.yaml:3:5: bad (do this)");
  EXPECT_EQ(to_string(Diagnostic{"a.yaml", {3, 0}, "bad", ""}), "a.yaml:3: bad");
  EXPECT_EQ(to_string(Diagnostic{"--set", {}, "bad", ""}), "--set: bad");
  EXPECT_EQ(to_string(Diagnostic{"", {}, "bad", ""}), "bad");
}

TEST(InOrder, FilesFromTopToEndThenFlagsAsTheyCome) {
  const Diagnostics sorted = in_order({{"--set", {}, "b", ""},
                                       {"--filter", {}, "a", ""},
                                       {"x.yaml", {3, 9}, "late", ""},
                                       {"--set", {}, "a", ""},
                                       {"x.yaml", {3, 1}, "same place, b", ""},
                                       {"x.yaml", {3, 1}, "same place, a", ""},
                                       {"x.yaml", {}, "of the whole file", ""},
                                       {"x.yaml", {3, 9}, "late", "found twice"}});
  std::string all;
  for (const auto& diagnostic : sorted) all += to_string(diagnostic) + "\n";
  EXPECT_EQ(all,
            "x.yaml: of the whole file\n"
            "x.yaml:3:1: same place, a\n"
            "x.yaml:3:1: same place, b\n"
            "x.yaml:3:9: late\n"
            "--set: b\n"
            "--filter: a\n"
            "--set: a\n");
  EXPECT_TRUE(in_order({}).empty());
}

TEST(Closest, FindsTheWordThatWasMeant) {
  const std::vector<std::string> words{"streams", "stream_pool", "size", "host_memory", "axes"};
  EXPECT_EQ(text::closest("stream", words), "streams");
  EXPECT_EQ(text::closest("straems", words), "streams");  // two letters swapped
  EXPECT_EQ(text::closest("sise", words), "size");
  EXPECT_EQ(text::closest("axis", words), "axes");
  EXPECT_EQ(text::closest("hostmemory", words), "host_memory");
}

TEST(Closest, SaysNothingWhenNoWordIsNear) {
  const std::vector<std::string> words{"streams", "size", "a"};
  EXPECT_EQ(text::closest("accumulator", words), "");
  EXPECT_EQ(text::closest("x", words), "");
  EXPECT_EQ(text::closest("", words), "");
  EXPECT_EQ(text::closest(std::string(100'000, 's'), words), "");
  EXPECT_EQ(text::closest("size", {}), "");
}

}  // namespace
}  // namespace apod
