#include <gtest/gtest.h>

#include <filesystem>

#include "tests/benchmarks/files/side_fixture.hpp"

namespace apod::files {
namespace {

namespace fs = std::filesystem;

TEST(ReadNvbench, WithoutSamplesTheMeanCounts) {
  const Side side = read_side({fixture("nvbench/mean.json")});
  ASSERT_EQ(side.cases.size(), 1u);
  const SideCase& copy = side.cases[0];
  EXPECT_EQ(copy.name, "copy/T:F32/Elements:1024");
  EXPECT_EQ(copy.params, (Labels{{"Elements", "1024"}, {"T", "F32"}}));
  ASSERT_EQ(copy.times.size(), 1u);
  EXPECT_DOUBLE_EQ(copy.times[0].seconds, 1.25e-6);
  EXPECT_EQ(copy.version, "time:gpu mean");
  EXPECT_EQ(copy.facts, (Facts{{"sm_clock", 1950}}));
  EXPECT_TRUE(contains(note_of(side, "the mean is used"), "copy/T:F32"));
  EXPECT_TRUE(contains(note_of(side, "skipped, too large"), "Elements:1099511627776"));
}

TEST(ReadNvbench, TellsTheEnvironmentOfTheDevicesUsed) {
  const Side side = read_side({fixture("nvbench/mean.json"), fixture("nvbench/samples.json")});
  const std::map<std::string, std::string> one{{"gpu", "A GPU"},
                                               {"ecc", "on"},
                                               {"backend", "cuda"},
                                               {"version", "NVBench 0.1.0"},
                                               {"description", "./copy_bench --json mean.json"}};
  const std::map<std::string, std::string> two{
      {"gpu", "A GPU, Another GPU"},
      {"backend", "cuda"},
      {"version", "NVBench 0.1.0"},
      {"description", "./copy_bench --jsonbin nvbench/samples.json"}};
  ASSERT_EQ(side.sessions.size(), 2u);
  EXPECT_EQ(side.sessions[0].format, "nvbench");
  EXPECT_EQ(side.sessions[0].environment, one) << "the second device is listed, but not used";
  EXPECT_EQ(side.sessions[1].environment, two);
}

TEST(ReadNvbench, TheMedianOfTheSamplesIsTheTime) {
  const Side side = read_side({fixture("nvbench/samples.json")});
  ASSERT_EQ(side.cases.size(), 2u) << "one for each device";
  const SideCase first = case_of(side, "copy/device:0");
  EXPECT_DOUBLE_EQ(first.times.at(0).seconds, 0.5)
      << "of 0.5, 0.25 and 4; the path goes up a folder";
  EXPECT_EQ(first.version, "time:gpu median");
  EXPECT_DOUBLE_EQ(case_of(side, "copy/device:1").times.at(0).seconds, 3);
  EXPECT_TRUE(side.notes.empty());
}

class NvbenchText : public FromText {
 protected:
  /// A file with one state, of which `rest` follows the name.
  static std::string state(const std::string& rest) {
    return R"({"devices":[],"benchmarks":[{"name":"b","states":[{)" + rest + "}]}]}";
  }
  static std::string summary(const std::string& tag, const std::string& data) {
    return R"({"tag":")" + tag + R"(","data":[)" + data + "]}";
  }
  static std::string mean(const std::string& value) {
    return summary("nv/cold/time/gpu/mean", R"({"name":"value","value":)" + value + "}");
  }
  static std::string samples(const std::string& file, const std::string& size) {
    return summary(
        "nv/json/bin:nv/cold/sample_times",
        R"({"name":"filename","value":")" + file + R"("},{"name":"size","value":)" + size + "}");
  }
  static std::string summaries(const std::string& all) {
    return state(R"("summaries":[)" + all + "]");
  }
  /// Writes beside result.json the bytes of the float 1, so many times.
  void write_samples(const std::string& name, int count) const {
    std::string bytes;
    for (int i = 0; i < count; ++i) bytes += std::string("\0\0\x80\x3f", 4);
    folder_.write(name, bytes);
  }
};

TEST_F(NvbenchText, StatesOfOneNameAreNoRepetitions) {
  const std::string one = R"({"summaries":[)" + mean("\"1\"") + "]}";
  const std::string two = R"({"summaries":[)" + mean("2") + "]}";
  const auto states = [](const std::string& all) {
    return R"({"devices":[],"benchmarks":[{"name":"b","states":[)" + all + "]}]}";
  };
  EXPECT_EQ(read(states(two)).cases.at(0).times.at(0).seconds, 2) << "a number that is no string";
  const Side side = read(states(one + "," + two));
  ASSERT_EQ(side.cases.size(), 1u);
  EXPECT_TRUE(side.cases[0].times.empty());
  EXPECT_EQ(side.cases[0].failed, "two benchmarks in the file have this name");
}

TEST_F(NvbenchText, TimesOfTheHostAreToldFromThoseOfTheDevice) {
  const Side side =
      read(summaries(summary("nv/cpu_only/time/cpu/mean", R"({"name":"value","value":"0.5"})")));
  EXPECT_EQ(side.cases.at(0).version, "time:cpu mean");
}

TEST_F(NvbenchText, EmptyArraysAreNull) {
  EXPECT_EQ(refusal(R"({"devices":null,"benchmarks":null})"), "nothing was measured");
  const Side side = read(R"({"devices":null,"benchmarks":[{"name":"b","devices":null,"states":[)"
                         R"({"device":null,"axis_values":null,"summaries":[)" +
                         mean("\"1\"") + "]}]}]}");
  EXPECT_EQ(side.cases.at(0).name, "b");
  EXPECT_EQ(side.sessions.at(0).environment.count("gpu"), 0u);
}

TEST_F(NvbenchText, MissingSamplesLeaveTheMeanAndANote) {
  const Side side = read(summaries(samples("gone.bin", "\"2\"") + "," + mean("\"1\"")));
  EXPECT_EQ(side.cases.at(0).times.at(0).seconds, 1);
  EXPECT_EQ(side.cases[0].version, "time:gpu mean") << "which no median is compared with";
  note_of(side, "folder lacks the file with the samples");
  EXPECT_TRUE(contains(refusal(summaries(samples("gone.bin", "\"2\""))),
                       "file with its samples is missing"));
}

TEST_F(NvbenchText, AMovedFileFindsTheSamplesThatMovedWithIt) {
  fs::create_directory(folder_.path("result.json-bin"));
  write_samples("result.json-bin/0.bin", 2);
  const Side side = read(summaries(samples("/nowhere/at/all/result.json-bin/0.bin", "\"2\"")));
  EXPECT_EQ(side.cases.at(0).times.at(0).seconds, 1);
}

TEST_F(NvbenchText, SamplesOutsideOfTheFilesFolderAreNotRead) {
  const TemporaryFolder other;
  const auto far = other.write("0.bin", std::string("\0\0\x80\x3f", 4));
  fs::create_symlink(far, folder_.path("link.bin"));
  const auto up = "../" + fs::path(far).parent_path().filename().string() + "/0.bin";
  for (const std::string& name : {far, up, std::string("link.bin")}) {
    EXPECT_TRUE(
        contains(refusal(summaries(samples(name, "\"1\""))), "file with its samples is missing"))
        << name;
  }
}

TEST_F(NvbenchText, OlderTagsOfTheSamplesAreKnown) {
  write_samples("0.bin", 1);
  const Side side = read(
      summaries(summary("nv/json/bin:sample_times",
                        R"({"name":"filename","value":"0.bin"},{"name":"size","value":"1"})")));
  EXPECT_EQ(side.cases.at(0).version, "time:gpu median");
}

TEST_F(NvbenchText, StatesOfSamplesThatAreNoneAreLeftOut) {
  const auto left_out = [&](const std::string& why) {
    return "nothing was measured; left out, " + folder_.path("0.bin") + ": " + why +
           ": benchmarks[0]: states[0]";
  };
  write_samples("0.bin", 3);
  for (const char* size : {"\"2\"", "\"4\"", "\"0\"", "\"-3\"", "\"1e30\""}) {
    EXPECT_EQ(
        refusal(summaries(samples("0.bin", size))),
        left_out("12 bytes do not match the number of samples in the JSON file (4 bytes each)"))
        << size;
  }
  folder_.write("0.bin", "");
  EXPECT_NE(refusal(summaries(samples("0.bin", "\"0\""))), "");
  folder_.write("0.bin", "12345");
  EXPECT_NE(refusal(summaries(samples("0.bin", "\"1\""))), "");
}

TEST_F(NvbenchText, ASampleThatIsNoTimeIsAFailureOfItsCase) {
  for (const std::string& bytes : {std::string("\0\0\xc0\x7f", 4), std::string("\0\0\x80\x7f", 4),
                                   std::string("\0\0\x80\xbf", 4), std::string(4, '\0')}) {
    folder_.write("0.bin", bytes);  // NaN, infinity, -1, 0
    const Side side = read(summaries(samples("0.bin", "\"1\"")));
    EXPECT_EQ(side.cases.at(0).failed, folder_.path("0.bin") + ": sample 0 is not a time");
  }
}

TEST_F(NvbenchText, ASummaryThatIsNoTimeIsAFailureOfItsCase) {
  EXPECT_EQ(read(summaries(mean("\"-1\""))).cases.at(0).failed, "time: -1 s is not a time");
  for (const char* value : {"\"inf\"", "\"nan\"", "\"fast\"", "\"1 s\"", "null"}) {
    EXPECT_EQ(read(summaries(mean(value))).cases.at(0).failed, "its time is not a finite number")
        << value;
  }
}

TEST_F(NvbenchText, AStateThatIsNoneIsLeftOutAlone) {
  const std::string tag = "nv/cold/time/gpu/mean: ";
  const std::vector<std::pair<std::string, std::string>> bad{
      {summaries(summary("nv/cold/time/gpu/mean", "")), tag + "has no value"},
      {summaries(""), "b has no time: the file has no summary nv/cold/time/gpu/mean"},
      {summaries("{}"), "tag: missing"},
      {state(R"("summaries":{})"), "summaries: object is not an array"},
      {state(R"("is_skipped":"no")"), "is_skipped: \"no\" is not a boolean"}};
  for (const auto& [text, why] : bad) {
    EXPECT_EQ(refusal(text),
              "nothing was measured; left out, " + why + ": benchmarks[0]: states[0]");
  }
  EXPECT_EQ(refusal(state(R"("is_skipped":true,"skip_reason":"too large")")),
            "nothing was measured; skipped, too large: b");
  EXPECT_EQ(refusal(R"({"devices":[],"benchmarks":[{"states":[]}]})"),
            "benchmarks[0]: name: missing");
}

TEST_F(NvbenchText, TheMedianThatNewerVersionsWriteIsTheTime) {
  const auto value = [](const std::string& number) {
    return R"({"name":"value","value":")" + number + R"("})";
  };
  const Side side = read(summaries(summary("nv/cold/time/gpu/mean", value("3")) + "," +
                                   summary("nv/cold/time/gpu/median", value("2"))));
  EXPECT_EQ(side.cases.at(0).times.at(0).seconds, 2);
  EXPECT_EQ(side.cases[0].version, "time:gpu median");
  EXPECT_TRUE(side.notes.empty());
}

TEST_F(NvbenchText, SeveralDevicesAreAnAxis) {
  const auto on = [](const std::string& device, const std::string& seconds) {
    return R"({"device":)" + device + R"(,"summaries":[)" + mean("\"" + seconds + "\"") + "]}";
  };
  const Side side = read(R"({"devices":[],"benchmarks":[{"name":"b","devices":[0,1],"states":[)" +
                         on("0", "1") + "," + on("1", "3") + "]}]}");
  ASSERT_EQ(side.cases.size(), 2u);
  EXPECT_EQ(side.cases[1].name, "b/device:1");
  EXPECT_EQ(side.cases[1].params, (Labels{{"device", "1"}}));
}

}  // namespace
}  // namespace apod::files
