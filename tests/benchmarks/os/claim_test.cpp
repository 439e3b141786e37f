#include "benchmarks/os/claim.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

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

TEST(Claim, WhoOnlyAsksIsInNobodysWay) {
  const apod::TemporaryFolder folder;
  const auto path = folder.path("r.json.journal");
  auto asking = claim(path);
  std::thread asks([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    asking = Descriptor();
  });
  EXPECT_NO_THROW(claim(path));
  asks.join();
}

}  // namespace
}  // namespace apod::os
