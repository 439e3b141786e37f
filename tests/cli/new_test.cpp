// bench new --from a folder that somebody else made.

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

/// A captured launch that has a TiB of memory at 0x7f00000000 and two pointers into it.
class NewFromACapture : public ProgramTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(path("a b"));
    Json parameters = Json::array();
    parameters.push_back({{"offset", 0}, {"bytes", 8}, {"value", "000000007f000000"}});
    parameters.push_back({{"offset", 8}, {"bytes", 8}, {"value", "640001007f000000"}});
    const std::uint64_t bytes = std::uint64_t{1} << 40;
    const Json window{{"address", 0x7f00000000},
                      {"bytes", bytes},
                      {"place", "device"},
                      {"allocation_bytes", bytes}};
    const Json manifest{
        {"schema", 1},
        {"kernel", "k"},
        {"launch", 0},
        {"grid", {4, 1, 1}},
        {"block", {64, 1, 1}},
        {"cluster", {0, 0, 0}},
        {"shared_bytes", 0},
        {"cooperative", false},
        {"carveout", -1},
        {"parameters", parameters},
        {"windows", Json::array({window})},
        {"variables", Json::array()},
        {"has_ptx", false},
        {"program", "./app"},
        {"framework", ""},
        {"driver", "580"},
        {"device", "H100"},
        {"compute_capability", "9.0"},
        {"date", "2026-11-26T00:00:00+00:00"},
        {"time", {{"launches", 1}, {"median_s", 1e-5}, {"least_s", 1e-5}, {"most_s", 1e-5}}},
        {"notes", Json::array()}};
    write("a b/manifest.json", manifest.dump());
    write("a b/code.cubin", "x");
    for (const char* name : {"a b/before.bin", "a b/changes.bin"}) {
      write(name, "");
      std::filesystem::resize_file(path(name), bytes);
    }
  }
  /// Sets a byte of what the launch changed.
  void change(std::streamoff at) const {
    std::fstream file(path("a b/changes.bin"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file.put('x');
  }
};

TEST_F(NewFromACapture, HolesAreNotRead) {
  change(3999);
  change((std::streamoff{1} << 39) + 5);
  const auto run = passes("bench new --from 'a b' one");
  EXPECT_TRUE(holds(run.out, "bench --config 'a b/one.yaml' --trust")) << "for a shell";
  // The second pointer, 65,636 bytes on, is where the first one's memory ends.
  EXPECT_TRUE(holds(read("a b/one.cu"), "void one(float* p0, float* p1)",
                    "// The captured launch changed 1000 elements"));
}

TEST_F(NewFromACapture, WhatNoByteOfChangedIsAnInput) {
  EXPECT_TRUE(holds((passes("bench new --from 'a b' none"), read("a b/none.cu")),
                    "void none(const float* p0, const float* p1)", "changed nothing"));
  change(65635);
  passes("bench new --from 'a b' first");
  EXPECT_TRUE(holds(read("a b/first.cu"), "void first(float* p0, const float* p1)",
                    "// The captured launch changed 16409 elements"));
  change(65636);
  passes("bench new --from 'a b' both");
  EXPECT_TRUE(holds(read("a b/both.cu"), "void both(float* p0, float* p1)",
                    "// The captured launch changed 16409 elements"));
}

}  // namespace
}  // namespace apod::test
