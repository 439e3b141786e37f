/// The machine code that the CUDA compiler makes, read without a GPU.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>

#include "kernels/backends/cuda/tracer/machine_code.hpp"

namespace apod::cuda {
namespace {

using HashOfFunction = std::map<std::string, std::uint64_t>;

/// The functions of two_kernels.cu with the given FACTOR.
HashOfFunction functions_with(const std::string& factor) {
  std::ifstream file(std::string(APOD_CUBINS) + "/factor_" + factor + ".cubin", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const auto found = Cubin(std::as_bytes(std::span(bytes))).functions();
  return {found.begin(), found.end()};
}

class CompiledCubin : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string(APOD_CUBINS).empty()) GTEST_SKIP() << "built without CUDA";
  }
};

TEST_F(CompiledCubin, HasTheKernelsOfItsSource) {
  const auto functions = functions_with("2");
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions.count("_Z5scalePf"), 1u);
  EXPECT_EQ(functions.count("_Z4copyPfPKf"), 1u);
}

TEST_F(CompiledCubin, OnlyTheKernelThatWasChangedHasAnotherHash) {
  const auto before = functions_with("2");
  const auto after = functions_with("3");
  EXPECT_NE(before.at("_Z5scalePf"), after.at("_Z5scalePf"));
  EXPECT_EQ(before.at("_Z4copyPfPKf"), after.at("_Z4copyPfPKf"));
}

}  // namespace
}  // namespace apod::cuda
