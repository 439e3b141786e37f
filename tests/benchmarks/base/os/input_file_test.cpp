#include "benchmarks/base/os/input_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "tests/kernels/api/temporary_folder.hpp"
#include "tests/support/texts.hpp"

namespace apod::os {
namespace {

namespace fs = std::filesystem;

class Input : public ::testing::Test {
 protected:
  std::string refusal(const std::string& path, std::size_t most = 100) const {
    return error_of([&] { read_file(path, most); });
  }
  const apod::TemporaryFolder folder_;
};

TEST_F(Input, IsARegularFile) {
  EXPECT_EQ(read_file(folder_.write("f", "text"), 4), "text");
  ASSERT_EQ(::mkfifo(folder_.path("pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", folder_.path("zeros"));
  fs::create_symlink("pipe", folder_.path("link"));
  for (const char* odd : {"pipe", "link", "zeros"}) {
    EXPECT_EQ(refusal(folder_.path(odd)), "is not a regular file") << odd;
    EXPECT_THROW(InputFile file(folder_.path(odd)), std::runtime_error) << odd;
  }
  EXPECT_EQ(refusal(folder_.path()), "is a folder: name a file in that folder");
  EXPECT_EQ(refusal(folder_.path("absent")), "there is no such file");
  EXPECT_EQ(refusal(folder_.path("f"), 3), "is larger than 3 bytes");
}

TEST_F(Input, MayBeAPipeThatTheShellHasOpened) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "text", 4), 4);
  ::close(ends[1]);
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0]), 4), "text");
  ::close(ends[0]);
}

TEST_F(Input, LinesAreThoseOfGetlineUpToALength) {
  const std::string piece((1 << 14) - 1, 'x');
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("a\n\nb"), piece, piece + "\n",
        piece + "y\nz\n", piece + piece + "\n\n", std::string("a\0b\n", 4)}) {
    std::istringstream one(text);
    std::istringstream other(text);
    std::string line;
    std::string wanted;
    while (std::getline(one, wanted)) {
      ASSERT_TRUE(next_line(other, line, text.size()));
      EXPECT_EQ(line, wanted);
      EXPECT_EQ(other.eof(), one.eof());
    }
    EXPECT_FALSE(next_line(other, line, text.size()));
  }
  std::istringstream long_line(piece + piece);
  std::string line;
  EXPECT_THROW(next_line(long_line, line, piece.size()), std::runtime_error);
}

}  // namespace
}  // namespace apod::os
