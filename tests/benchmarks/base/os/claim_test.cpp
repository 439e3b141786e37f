#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "benchmarks/base/os/turns.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::os {
namespace {

TEST(Claim, WhoHoldsAFileIsKnownToOthers) {
  const apod::TemporaryFolder folder;
  const auto path = folder.path("r.json.journal");
  EXPECT_FALSE(is_claimed(path));
  EXPECT_FALSE(std::filesystem::exists(path));
  {
    const auto held = claim(path);
    EXPECT_TRUE(is_claimed(path));
    EXPECT_THROW(claim(path), std::runtime_error);
  }
  EXPECT_FALSE(is_claimed(path));
}

/// Calls `ask` again and again on several threads while it lives.
class Askers {
 public:
  explicit Askers(const std::function<void()>& ask) {
    for (int i = 0; i < 4; ++i) {
      threads_.emplace_back([this, ask] {
        while (!over_) ask();
      });
    }
  }
  ~Askers() {
    over_ = true;
    for (auto& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> over_ = false;
  std::vector<std::thread> threads_;
};

TEST(Claim, WhoOnlyAsksIsInNobodysWay) {
  const apod::TemporaryFolder folder;
  const auto path = folder.write("r.json.journal", "of an earlier run");
  std::atomic<int> asked = 0;
  const Askers askers([&] {
    is_claimed(path);
    ++asked;
    // No moment without an asker would be more than a claim's patience can take.
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  });
  while (asked < 3000) {
    const auto held = claim(path);
    ASSERT_TRUE(is_claimed(path));
  }
}

TEST(Claim, WhoAsksIsNoRunToOthersWhoAsk) {
  const apod::TemporaryFolder folder;
  const auto path = folder.write("r.json.journal", "of an earlier run");
  std::atomic<int> seen = 0;
  std::atomic<int> asked = 0;
  {
    const Askers askers([&] {
      seen += is_claimed(path) ? 1 : 0;
      ++asked;
    });
    while (asked < 20'000) std::this_thread::yield();
  }
  EXPECT_EQ(seen, 0);
}

TEST(Claim, IsSeenWhileItsFileIsReplaced) {
  const apod::TemporaryFolder folder;
  const auto path = folder.path("r.json.journal");
  const auto fresh = folder.path("fresh");
  auto held = claim(path);
  std::atomic<int> missed = 0;
  {
    const Askers askers([&] { missed += is_claimed(path) ? 0 : 1; });
    for (int i = 0; i < 2'000; ++i) {
      auto next = claim(fresh);
      std::filesystem::rename(fresh, path);
      held = std::move(next);
    }
  }
  EXPECT_EQ(missed, 0);
}

}  // namespace
}  // namespace apod::os
