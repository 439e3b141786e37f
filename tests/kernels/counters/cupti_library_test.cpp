/// Which of several CUPTI libraries is taken; and what an error of CUDA says.

#include "kernels/backends/cuda/tracer/cupti_library.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "kernels/backends/cuda/check.hpp"

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

TEST(CudaError, OfAMissingKernelImageSaysWhatToDo) {
  try {
    check(cudaErrorNoKernelImageForDevice, "copy", "/elsewhere/kernels/copy/a.cu");
    FAIL();
  } catch (const BackendError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("copy: cudaErrorNoKernelImageForDevice (no kernel image")) << text;
    EXPECT_TRUE(
        text.ends_with(" in kernels/copy/a.cu; this build has no code for the device: "
                       "build it on this machine"))
        << text;
  }
}

}  // namespace
}  // namespace apod::cuda
