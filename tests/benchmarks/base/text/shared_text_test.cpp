#include "benchmarks/base/text/shared_text.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace apod::text {
namespace {

TEST(SharedText, EqualTextsAreKeptOnce) {
  const SharedText one("size");
  const SharedText other(std::string("si") + "ze");
  EXPECT_EQ(one, other);
  EXPECT_EQ(&one.str(), &other.str());
  EXPECT_NE(one, SharedText("sizes"));
  EXPECT_LT(one, SharedText("sizes"));
  EXPECT_EQ(one, "size");
  EXPECT_LT(one, std::string("t"));
  EXPECT_TRUE(SharedText().empty());
  EXPECT_EQ(SharedText(), SharedText(""));
}

TEST(SharedText, ThreadsMayMakeThemAtOnce) {
  constexpr int texts = 2000;
  std::vector<std::vector<SharedText>> made(4);
  std::vector<std::thread> threads;
  for (auto& mine : made) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < texts; ++i) mine.emplace_back("text " + std::to_string(i));
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& others : made) EXPECT_EQ(others, made.front());
  EXPECT_EQ(made.front().back(), "text " + std::to_string(texts - 1));
}

}  // namespace
}  // namespace apod::text
