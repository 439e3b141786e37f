#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/benchmarks/files/side_fixture.hpp"

namespace apod::files {
namespace {

std::string repeated(const std::string& unit, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += unit;
  return text;
}

using Damage = FromText;

/// Texts that are no result, and a part of what must be said of each.
const std::vector<std::pair<std::string, std::string>> bad_texts{
    {" ", "line 1, column 2: syntax error"},
    {"{", "the file is cut off"},
    {"}", "line 1, column 1: syntax error"},
    {"null", "its top level is not an object"},
    {"7", "its top level is not an object"},
    {"\"text\"", "its top level is not an object"},
    {"[]", "its top level is not an object"},
    {R"([{"context":{}}])", "it is JSON, but in an unknown format"},
    {"{}", "it is JSON, but in an unknown format"},
    {R"({"a":1,"b":[2,{}],"c":{"d":null}})", "it is JSON, but in an unknown format"},
    {R"({"benchmarks":[]})", "it is JSON, but in an unknown format"},
    {R"({"benchmarks":{}})", "it is JSON, but in an unknown format"},
    {R"({"benchmarks":null})", "it is JSON, but in an unknown format"},
    {R"({"benchmarks":[{}]})", "it is JSON, but in an unknown format"},
    {R"({"benchmarks":[null,1,"x",[]]})", "it is JSON, but in an unknown format"},
    {R"({"context":null})", "it is JSON, but in an unknown format"},
    {R"({"context":{}})", "it is JSON, but in an unknown format"},
    {R"({"context":{"num_cpus":4}})", "nothing was measured"},
    {R"({"meta":{"a":1},"devices":[1]})", "it is JSON, but in an unknown format"},
    {R"({"devices":[{"id":1}]})", "it is JSON, but in an unknown format"},
    {R"({"context":{"num_cpus":4},"benchmarks":[]})", "nothing was measured"},
    {R"({"context":{},"benchmarks":7})", "benchmarks: not an array"},
    {R"({"context":{},"benchmarks":[[]]})", "left out, not an object: benchmarks[0]"},
    {R"({"context":{},"benchmarks":[]} x)", "line 1, column"},
    {R"({"context":{},"benchmarks":[]}{})", "line 1, column"},
    {R"({"context":{},"benchmarks":[{"name":"a","real_time":1},]})", "syntax error"},
    {R"({"context":{},"benchmarks":[{"name":"a","real_time":1})",
     "the file is cut off, in benchmarks[1]"},
    {R"({"context":{},"benchmarks":[{"name":"a","real_ti)",
     "the file is cut off, in benchmarks[0]"},
    {R"({"context":{},"benchmarks":[{"name":"a","real_time":tru)", "the file is cut off"},
    {R"({"context":{},"benchmarks":[{"name":"a","real_time":1}])", "the file is cut off"},
    {R"({"context":{},"context":{}})", "the key 'context' occurs twice"},
    {R"({"context":{"a":1,"a":1}})", "context: the key 'a' occurs twice"},
    {R"({"context":{},"benchmarks":[{"name":"a","real_time":1,"real_time":2}]})",
     "benchmarks[0]: the key 'real_time' occurs twice"},
    {R"({"context":{},"benchmarks":[],"benchmarks":[{"name":"a","real_time":1}]})",
     "the key 'benchmarks' occurs twice"},
    {R"({"context":{},"benchmarks":[{"name":"a","real_time":1e999}]})", "1e999"},
    {R"({"context":{},"benchmarks":[{"name":"a","real_time":-1e999}]})", "1e999"},
    {R"({"context":{},"benchmarks":[{"name":"a","real_time":0x10}]})", "syntax error"},
    {R"({"context":{},"benchmarks":[{"name":"a","real_time":01}]})", "syntax error"},
    {R"({"context":{},"benchmarks":[{"name":"a","real_time":+1}]})", "syntax error"},
    {R"({"context":{},"benchmarks":[{"name":"a","real_time":1.}]})", "syntax error"},
    {R"({"context":{},"benchmarks":[{"name":"a","real_time":1,"time_unit":"min"}]})", "time_unit"},
    {R"({"context":{},"benchmarks":[{"name":"a","real_time":1,"time_unit":1}]})", "time_unit"},
    {R"({"context":{},"benchmarks":[{"name":["a"],"real_time":1}]})", "array is not a string"},
    {R"({"context":{},"benchmarks":[{"name":"a","run_type":"aggregate","real_time":1}]})",
     "aggregate_name: missing"},
    {R"({'context':{}})", "syntax error"},
    {R"({context:{}})", "syntax error"},
    {R"({"context":{} /* a comment */})", "syntax error"},
    {"{\"context\":{\"a\":\"\xff\xfe\"}}", "ill-formed UTF-8"},
    {"{\"context\":{\"a\":\"\xed\xa0\x80\"}}", "ill-formed UTF-8"},
    {"{\"context\":{\"a\":\"line\nbreak\"}}", "control character"},
    {R"({"context":{"a":"\ud800"}})", "surrogate"},
    {R"({"context":{"a":"\x"}})", "syntax error"},
    {std::string("{\"context\":{}\0}", 15), "syntax error"},
    {std::string(4096, '\0'), "it is a binary file"},
    {"\xef\xbb", "syntax error"},
    {"\xef\xbb\xbf", "syntax error"},
    {"\xff\xfe{\0}\0", "it is UTF-16"},
    {"name,time\na,1\n", "syntax error"},
    {R"({"context":{"apod":{}}})", "context: schema: missing"},
    {R"({"context":{"apod":{"schema":"1"}}})", "context: schema: \"1\" is not a number"},
    {R"({"context":{"apod":{"schema":1}}})", "nothing was measured"},
    {R"({"apod_cases":[1]})", "apod_cases[0]: not an object"},
    {R"({"apod_cases":[{}]})", "apod_cases[0]: index: missing"},
    {R"({"apod_cases":[{"index":1e3}]})", "apod_cases[0]: index: 1000.0 is not a count"},
    {R"({"apod_cases":[{"index":18446744073709551616}]})", "is not a count"},
    {R"({"apod_experiments":[{}]})", "apod_experiments[0]: scope: missing"},
    {R"({"devices":[1],"benchmarks":[null]})", "devices[0]: not an object"},
    {R"({"meta":{},"benchmarks":[null]})", "benchmarks[0]: not an object"},
    {R"({"meta":{},"benchmarks":[{"name":"a","states":7}]})", "states: 7 is not an array"},
    {R"({"meta":{},"benchmarks":[{"name":"a","states":[7]}]})", "benchmarks[0]: states[0]"},
};

TEST_F(Damage, NoBadTextIsRead) {
  EXPECT_GE(bad_texts.size(), 40u);
  for (const auto& [text, part] : bad_texts) {
    const std::string reason = refusal(text);
    EXPECT_TRUE(contains(reason, part)) << text << "\ngives: " << reason;
    EXPECT_LE(reason.size(), 600u) << text;
  }
}

TEST_F(Damage, AByteOrderMarkIsPassedOver) {
  EXPECT_EQ(
      refusal("\xef\xbb\xbf{\"context\":{},\"benchmarks\":[{\"name\":\"a\",\"real_time\":1}]}"),
      "");
}

TEST_F(Damage, DeepNestingIsRefusedWithoutExhaustingTheStack) {
  for (const std::string bracket : {"[", "{\"a\":"}) {
    for (const std::string start :
         {"", "{\"context\":", "{\"context\":{},\"benchmarks\":[", "{\"apod_failed\":"}) {
      const std::string reason = refusal(start + repeated(bracket, 100'000));
      EXPECT_TRUE(contains(reason, "nested too deeply")) << start << bracket << ": " << reason;
    }
  }
  const auto nested = [](int depth) {
    return R"({"context":{},"more":)" + repeated("[", depth) + repeated("]", depth) +
           R"(,"benchmarks":[{"name":"a","real_time":1}]})";
  };
  EXPECT_EQ(refusal(nested(63)), "");
  EXPECT_EQ(refusal(nested(64)), "more[0]: nested too deeply");
}

TEST_F(Damage, ALongTextIsCutInTheMessage) {
  const std::string much = repeated("x", 1'000'000);
  EXPECT_LE(refusal("{\"context\":{},\"" + much + "\":1,\"" + much + "\":1}").size(), 600u);
  EXPECT_LE(refusal("{\"context\":{}," + much).size(), 600u);
  EXPECT_LE(refusal("{\"context\":{\"a\":\"" + much).size(), 600u);
}

TEST_F(Damage, EveryPrefixIsRefused) {
  for (const char* name : {"apod/two_processes.json", "google/repetitions.json",
                           "google/aggregates_only.json", "nvbench/mean.json"}) {
    std::string text = content_of(fixture(name));
    ASSERT_EQ(refusal(text), "") << name;
    while (text.back() == '\n') text.pop_back();
    // Beyond the first bytes, every 17th length is enough.
    for (std::size_t length = 0; length < text.size(); length += length < 400 ? 1 : 17) {
      EXPECT_NE(refusal(text.substr(0, length)), "") << name << ", " << length << " bytes";
    }
    EXPECT_NE(refusal(text.substr(0, text.size() - 1)), "") << name;
  }
}

}  // namespace
}  // namespace apod::files
