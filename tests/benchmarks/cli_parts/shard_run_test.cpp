#include "benchmarks/cli/shard_run.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <vector>

#include "benchmarks/base/os/turns.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::cli {
namespace {

TEST(ShardRun, WhoLooksAtAShardThatEndsLooksAgain) {
  const TemporaryFolder folder;
  const auto path = folder.path("r.1-of-2.json");
  auto journal = std::optional(os::claim(path + ".journal"));
  std::vector<ShardStep> seen;
  const auto last = at_step(path, [&](ShardStep step) {
    seen.push_back(step);
    if (step != ShardStep::running) return step;
    // It ends in just this moment.
    folder.write("r.1-of-2.json", "{}");
    std::filesystem::remove(path + ".journal");
    journal.reset();
    throw std::runtime_error("there is no journal");
  });
  EXPECT_EQ(last, ShardStep::written);
  EXPECT_EQ(seen, (std::vector{ShardStep::running, ShardStep::written}));
}

TEST(ShardRun, WhatStaysUnreadableIsAnErrorAtOnce) {
  const TemporaryFolder folder;
  const auto path = folder.write("r.1-of-2.json", "{");
  int looks = 0;
  const auto look = [&](ShardStep) -> int {
    ++looks;
    throw std::runtime_error("damaged");
  };
  EXPECT_THROW(at_step(path, look), std::runtime_error);
  EXPECT_EQ(looks, 1);
}

}  // namespace
}  // namespace apod::cli
