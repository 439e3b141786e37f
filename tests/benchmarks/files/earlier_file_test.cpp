#include "benchmarks/files/earlier_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::files {
namespace {

TEST(KeepAside, GivesAFileOneSecondName) {
  const TemporaryFolder folder;
  const auto file = folder.write("r.json", "mine");
  EXPECT_EQ(keep_aside(file), file + ".old");
  EXPECT_EQ(keep_aside(file), file + ".old") << "a run that ended before it wrote";
  std::filesystem::remove(file);
  folder.write("r.json", "another");
  EXPECT_EQ(keep_aside(file), file + ".old2");
  // A link to the file is no second name: its content would be gone with the first.
  const auto linked = folder.write("s.json", "mine");
  std::filesystem::create_symlink("s.json", linked + ".old");
  EXPECT_EQ(keep_aside(linked), linked + ".old2");
}

}  // namespace
}  // namespace apod::files
