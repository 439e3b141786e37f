#include "benchmarks/files/json_pieces.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::files {
namespace {

class Pieces : public ::testing::Test {
 protected:
  /// Every piece as "member[index] text".
  std::vector<std::string> pieces(std::string_view text, const HiddenKeys& hidden = {}) const {
    std::vector<std::string> all;
    read_pieces(folder_.write("a.json", text), hidden,
                [&](const std::string& member, std::size_t index, const Piece& piece) {
                  const std::string at = index == whole ? "" : "[" + std::to_string(index) + "]";
                  all.push_back(member + at + " " + piece.dump());
                  return true;
                });
    return all;
  }

  const TemporaryFolder folder_;
};

using Texts = std::vector<std::string>;

TEST_F(Pieces, ArraysOfTheTopComeElementByElementAndTheRestWhole) {
  EXPECT_EQ(
      pieces(R"({"a":1,"b":[2,{"c":[3,[4]]},[5]],"d":{"e":[6]},"f":[],"g":null})"),
      (Texts{"a 1", "b[0] 2", R"(b[1] {"c":[3,[4]]})", "b[2] [5]", R"(d {"e":[6]})", "g null"}));
}

TEST_F(Pieces, HiddenMembersAreLeftOutOfTheObjectsThatTheyAreNamedFor) {
  const std::string text =
      R"({"x":[1,[2]],"a":[{"x":{"x":[{}]},"y":[1,{"x":2,"z":3}]},[{"x":4}]],"b":{"x":5}})";
  EXPECT_EQ(pieces(text, {{"a", {"x"}}}),
            (Texts{"x[0] 1", "x[1] [2]", R"(a[0] {"y":[1,{"x":2,"z":3}]})", "a[1] [{}]",
                   R"(b {"x":5})"}));
  EXPECT_EQ(pieces(text, {{"", {"x", "a"}}}), (Texts{R"(b {"x":5})"}));
  EXPECT_EQ(pieces(text, {{"", {"x"}}, {"a", {"x", "z"}}, {"y", {"x", "z"}}, {"b", {"x"}}}),
            (Texts{R"(a[0] {"y":[1,{}]})", "a[1] [{}]", "b {}"}));
}

const HiddenKeys hidden_x_y{{"a", {"x", "y"}}};

TEST_F(Pieces, AnyValueCanBeHidden) {
  for (const char* value :
       {"0", "-1.5e+300", "true", "false", "null", R"("")", "[]", "{}", R"("}],\"\\")",
        R"("\u00e9µ漢😀\n")", R"([["\"]"],{"x":"{"},-1E-3,null])", "[ 1 ,\r\n\t2 ]"}) {
    for (const std::string blank : {"", " ", "\n\t"}) {
      const std::string member = "\"x\"" + blank + ":" + blank + value + blank;
      const std::string other = "\"y\"" + blank + ":" + blank + value + blank;
      for (const std::string& members :
           {member + ",\"z\":1", "\"z\":1," + member, member + "," + other + ",\"z\":1",
            "\"z\":1," + member + "," + blank + other,
            R"("\u0078":)" + (value + (",\"z\":1," + other))}) {
        EXPECT_EQ(pieces("{\"a\":[{" + members + "}]}", hidden_x_y), (Texts{"a[0] {\"z\":1}"}))
            << members;
      }
    }
  }
}

TEST_F(Pieces, WhatIsHiddenMayLieAcrossTheBlocksThatAreRead) {
  constexpr std::size_t block = 1 << 20;
  const std::string members = R"("x" : ["µ\u00e9\"",{"b":-1e-3}] , "y" : true,"z":1)";
  for (std::size_t before = block - members.size() - 8; before < block; ++before) {
    const std::string text = std::string(before, ' ') + "{\"a\":[{" + members + "}]}";
    ASSERT_EQ(pieces(text, hidden_x_y), (Texts{"a[0] {\"z\":1}"})) << before;
  }
  const std::string long_value = "\"" + std::string(3 * block, 'x') + "\"";
  EXPECT_EQ(pieces("{\"a\":{\"x\":" + long_value + ",\"z\":1}}", hidden_x_y),
            (Texts{"a {\"z\":1}"}));
}

TEST_F(Pieces, DamageInWhatIsHiddenIsRefusedWithItsPlace) {
  const auto refusal = [&](const std::string& value) {
    return error_of([&] { pieces("{\"a\":[{\"z\":1},\n{\"x\":" + value, hidden_x_y); });
  };
  for (const std::string value : {"",
                                  "1",
                                  "[",
                                  "[1",
                                  "{",
                                  "{\"b\"",
                                  "{\"b\":",
                                  "\"",
                                  "\"b",
                                  "\"\\",
                                  "\"\\\"",
                                  "\"\\u00",
                                  "[1}}]}",
                                  "{\"b\":1]}]}",
                                  "[[1]}]}",
                                  "[0x1]}]}",
                                  "}]}",
                                  ",\"y\":1}]}",
                                  "['b']}]}",
                                  "[1/**/]}]}",
                                  "\"\\x\"}]}",
                                  "\"\\u00g0\"}]}",
                                  "\"\n\"}]}",
                                  "\"\xff\"}]}",
                                  "[\"\xc3(\"]}]}",
                                  "\"\xed\xa0\x80\"}]}",
                                  "\"\xf0\x9f\x98\"}]}",
                                  "\"\xc0\xaf\"}]}",
                                  "1 2}]}",
                                  "[] []}]}",
                                  "\"\" \"y\":1}]}",
                                  "1,\"y\"}]}",
                                  "1,\"y\" 2}]}",
                                  "1,\"y\":}]}",
                                  "1,}]}"}) {
    const std::string reason = refusal(value);
    const bool is_whole = std::string_view(value).ends_with("}]}");
    EXPECT_TRUE(is_whole
                    ? reason.starts_with("line 2, column ") || reason.starts_with("line 3, column ")
                    : reason == "the file is cut off, in a[1]")
        << value << ": " << reason;
  }
  EXPECT_TRUE(refusal("[1,2],\"y\":\"b\",\"z\":;").starts_with("line 2, column 24: "))
      << "as if nothing were hidden: " << refusal("[1,2],\"y\":\"b\",\"z\":;");
}

TEST_F(Pieces, WhatOthersWriteForANumberThatIsNoneIsNull) {
  EXPECT_EQ(pieces("{\"a\":[NaN,nan,-nan,Infinity,-Infinity,inf,-inf]}", {}),
            (Texts{"a[0] null", "a[1] null", "a[2] null", "a[3] null", "a[4] null", "a[5] null",
                   "a[6] null"}));
  for (const char* word : {"Nan", "Inf", "N", "infinite", "NaN1", "--inf"}) {
    EXPECT_NE(error_of([&] { pieces("{\"a\":" + std::string(word) + "}", {}); }), "") << word;
  }
}

TEST_F(Pieces, WhatIsHiddenMayBeNestedNoDeeperThanTheRest) {
  const auto text = [](std::size_t depth) {
    return "{\"a\":[{\"x\":" + std::string(depth, '[') + std::string(depth, ']') + ",\"z\":1}]}";
  };
  EXPECT_EQ(pieces(text(61), hidden_x_y), (Texts{"a[0] {\"z\":1}"}));
  EXPECT_EQ(error_of([&] { pieces(text(62), hidden_x_y); }), "a[0]: nested too deeply");
  EXPECT_EQ(error_of([&] { pieces("{\"a\":{\"x\":" + std::string(1'000'000, '['), hidden_x_y); }),
            "a: nested too deeply");
}

TEST_F(Pieces, KeepsTextsAndNumbersAsTheyAre) {
  EXPECT_EQ(
      pieces(R"({"a":["µ\n\"\\\u00e9",18446744073709551615,-9223372036854775808,1e-7,true]})"),
      (Texts{R"(a[0] "µ\n\"\\é")", "a[1] 18446744073709551615", "a[2] -9223372036854775808",
             "a[3] 1e-07", "a[4] true"}));
}

TEST_F(Pieces, TakesWhatTheLibraryTakesAndNothingElse) {
  for (const std::string value : {"0",
                                  "-0",
                                  "00",
                                  "01",
                                  "-",
                                  "-1",
                                  "+1",
                                  "1.",
                                  ".1",
                                  "1.5",
                                  "1e",
                                  "1e5",
                                  "1E+05",
                                  "1e-",
                                  "1.5e-400",
                                  "1e999",
                                  "-1e999",
                                  "4.9e-324",
                                  "18446744073709551615",
                                  "18446744073709551616",
                                  "-9223372036854775809",
                                  "123456789012345678901234567890",
                                  "tru",
                                  "true",
                                  "True",
                                  "truefalse",
                                  "nul",
                                  "null",
                                  "1 2",
                                  "[1,]",
                                  "[,1]",
                                  "[]",
                                  "[[]]",
                                  "[1 2]",
                                  "{}",
                                  "{,}",
                                  R"({"b":1,})",
                                  R"({"b" 1})",
                                  R"({"b":})",
                                  R"({b:1})",
                                  R"("\u00e9\uD834\uDD1E")",
                                  R"("\uD834")",
                                  R"("\uDD1E")",
                                  R"("\uD834\u0041")",
                                  R"("\u00G0")",
                                  R"("\u 041")",
                                  R"("\u+041")",
                                  R"("\v")",
                                  "\"\t\"",
                                  "\"\x7f\"",
                                  "\"\xc3\xa9\"",
                                  "\"\xe0\x80\xaf\"",
                                  "\"\xf4\x90\x80\x80\"",
                                  "\"\xf0\x9d\x84\x9e\"",
                                  "'a'",
                                  "\"a",
                                  "]",
                                  "}",
                                  "1]",
                                  "1}",
                                  ""}) {
    for (const std::string& text :
         {"{\"a\":" + value + "}", "{\"a\":[" + value + "]}", " {\"a\" : " + value + " }\n"}) {
      const bool is_json = Piece::accept(text);
      std::vector<std::string> read;
      const auto reason = error_of([&] { read = pieces(text); });
      EXPECT_EQ(reason.empty(), is_json) << text << ": " << reason;
      if (!is_json) continue;
      std::vector<std::string> wanted;
      const Piece whole_file = Piece::parse(text);
      const Piece& member = whole_file["a"];
      if (!member.is_array()) wanted.push_back("a " + member.dump());
      for (std::size_t i = 0; member.is_array() && i < member.size(); ++i) {
        wanted.push_back("a[" + std::to_string(i) + "] " + member[i].dump());
      }
      EXPECT_EQ(read, wanted) << text;
    }
  }
}

TEST_F(Pieces, TheReadingEndsWhenItIsAskedTo) {
  int count = 0;
  const std::string file = folder_.write("a.json", R"({"a":[1,2,3],"b" and no more JSON)");
  read_pieces(file, {}, [&](const std::string&, std::size_t, const Piece&) { return ++count < 2; });
  EXPECT_EQ(count, 2);
}

TEST_F(Pieces, WhatIsThrownGetsThePlace) {
  const std::string file = folder_.write("a.json", R"({"a":[1,{"b":2}]})");
  const auto reason = error_of([&] {
    read_pieces(file, {}, [](const std::string&, std::size_t index, const Piece& piece) -> bool {
      return index == 0 || number_at(piece, "c") > 0;
    });
  });
  EXPECT_EQ(reason, "a[1]: c: missing");
}

TEST_F(Pieces, SyntaxErrorsHaveLineAndColumn) {
  const std::string reason = error_of([&] { pieces("{\n  \"a\": [1,\n  2;3]}"); });
  EXPECT_TRUE(reason.starts_with("line 3, column 4: syntax error")) << reason;
}

TEST(JsonLookUps, AreStrictAboutTypes) {
  const Piece object = Piece::parse(R"({"n":-1.5,"c":7,"t":"x","b":true,"a":[1],"o":{},"z":null})");
  EXPECT_EQ(number_at(object, "n"), -1.5);
  EXPECT_EQ(count_at(object, "c"), 7u);
  EXPECT_EQ(text_at(object, "t"), "x");
  EXPECT_TRUE(flag_at(object, "b"));
  EXPECT_FALSE(flag_at(object, "z"));
  EXPECT_FALSE(flag_at(object, "nothing"));
  EXPECT_EQ(array_at(object, "a").size(), 1u);
  EXPECT_TRUE(array_at(object, "nothing").empty());
  EXPECT_TRUE(look_up(object, "nothing").is_null());
  EXPECT_TRUE(look_up(Piece(7), "n").is_null());
  EXPECT_EQ(error_of([&] { number_at(object, "t"); }), "t: \"x\" is not a number");
  EXPECT_EQ(error_of([&] { count_at(object, "n"); }), "n: -1.5 is not a count");
  EXPECT_EQ(error_of([&] { text_at(object, "n"); }), "n: -1.5 is not a string");
  EXPECT_EQ(error_of([&] { text_at(object, "nothing"); }), "nothing: missing");
  EXPECT_EQ(error_of([&] { flag_at(object, "c"); }), "c: 7 is not a boolean");
  EXPECT_EQ(error_of([&] { array_at(object, "o"); }), "o: object is not an array");
}

TEST(JsonLookUps, TimesAreFiniteAndPositiveInSeconds) {
  const Piece object = Piece::parse(R"({"a":2,"zero":0,"low":5e-324,"high":1.7e308})");
  EXPECT_DOUBLE_EQ(seconds_at(object, "a", 1e-3), 2e-3);
  EXPECT_EQ(error_of([&] { seconds_at(object, "zero", 1); }), "zero: 0 is not a time");
  EXPECT_NE(error_of([&] { seconds_at(object, "low", 1e-9); }), "");
  EXPECT_NE(error_of([&] { seconds_at(object, "high", 60); }), "");
}

TEST(JsonLookUps, ScalarsHaveATextAndNothingElseHas) {
  EXPECT_EQ(text_of("a b"), "a b");
  EXPECT_EQ(text_of(1024), "1024");
  EXPECT_EQ(text_of(0.5), "0.5");
  EXPECT_EQ(text_of(true), "on");
  EXPECT_EQ(text_of(nullptr), "");
  EXPECT_EQ(text_of(Piece::array({1})), "");
}

}  // namespace
}  // namespace apod::files
