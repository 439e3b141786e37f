/// Which of several CUPTI libraries is taken.

#include "kernels/backends/cuda/tracer/cupti_library.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace apod::cuda {
namespace {

const std::string old_library = OLD_CUPTI;
const std::string new_library = NEW_CUPTI;

TEST(CuptiLibrary, AnOlderOneHidesNoNewerOne) {
  std::string why;
  const auto found = CuptiLibrary::first_usable(
      {"/nowhere/libcupti.so", old_library, new_library, old_library}, why);
  ASSERT_TRUE(found) << why;
  std::uint32_t version = 0;
  found->get_version(&version);
  EXPECT_GE(version, CUPTI_API_VERSION);
}

TEST(CuptiLibrary, APathThatDependsOnTheCurrentFolderIsNone) {
  std::string why;
  const auto relative = "./" + std::filesystem::relative(new_library).string();
  EXPECT_FALSE(CuptiLibrary::first_usable({relative}, why));
  EXPECT_NE(why.find("no CUPTI library found"), std::string::npos) << why;
}

TEST(CuptiLibrary, WhyThereIsNone) {
  std::string why;
  EXPECT_FALSE(CuptiLibrary::first_usable({old_library}, why));
  EXPECT_TRUE(why.starts_with(old_library + " is version 1, older than the headers")) << why;
  EXPECT_FALSE(CuptiLibrary::first_usable({"libm.so.6", "/nowhere/libcupti.so"}, why));
  EXPECT_EQ(why, "libm.so.6 has no cuptiGetVersion");
  EXPECT_FALSE(CuptiLibrary::first_usable({"/nowhere/libcupti.so"}, why));
  EXPECT_NE(why.find("set CUDA_HOME"), std::string::npos) << why;
}

}  // namespace
}  // namespace apod::cuda
