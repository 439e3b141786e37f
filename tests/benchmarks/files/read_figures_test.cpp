#include "benchmarks/files/read_figures.hpp"

#include <gtest/gtest.h>

#include "benchmarks/files/foreign_result.hpp"
#include "tests/support/texts.hpp"

namespace apod::files {
namespace {

using Values = std::vector<double>;

CommandSpec reading(Reads reads, std::vector<Figure> figures) {
  return {.words = {"app"}, .reads = reads, .figures = std::move(figures)};
}

std::string refusal(Reads reads, const Figure& figure, const std::string& output) {
  return error_of([&] { read_figures(reading(reads, {figure}), output); });
}

TEST(ReadFigures, OfEveryLineThatMatches) {
  const auto values =
      read_figures(reading(Reads::regex, {{"time", "took ([0-9.e-]+) ms", "ms"},
                                          {"bandwidth", "at ([0-9.]+) ([KMG]i?B/s)", "GB/s"},
                                          {"rows", "([0-9]+) rows"}}),
                   "took 1.5 ms at 2 GB/s\nnothing\ntook 25e-1 ms at 512 MiB/s\n77 rows");
  EXPECT_EQ(values.at("time"), (Values{0.0015, 0.0025}));
  EXPECT_EQ(values.at("bandwidth"), (Values{2e9, 512.0 * 0x1p20}));
  EXPECT_EQ(values.at("rows"), Values{77});
}

TEST(ReadFigures, NoMatchIsAFailureAndSoIsAWrongUnit) {
  const Figure time{"time", "took ([0-9.-]+) ?([a-zA-Z/]*)", "ms"};
  EXPECT_EQ(refusal(Reads::regex, time, "nothing"),
            "time: no line matches 'took ([0-9.-]+) ?([a-zA-Z/]*)'; last line of output: "
            "'nothing'");
  EXPECT_EQ(refusal(Reads::regex, time, ""),
            "time: no line matches 'took ([0-9.-]+) ?([a-zA-Z/]*)'; the output is empty");
  EXPECT_EQ(refusal(Reads::regex, time, "took 3 GB"), "time: '3 GB' is not in ms or a multiple");
  EXPECT_EQ(refusal(Reads::regex, time, "took 1.2.3 ms"), "time: '1.2.3' is not a number");
  EXPECT_EQ(refusal(Reads::regex, time, "took 0 ms"), "time: not a positive time: 0 s");
  EXPECT_EQ(refusal(Reads::regex, time, "took -1 ms"), "time: not a positive time: -1 ms");
  EXPECT_EQ(refusal(Reads::regex, time, "took 3"), "") << "of the figure's own unit";
  const Figure optional{"time", "took ([0-9]+)(?: (ms|s))?", "ms"};
  EXPECT_EQ(refusal(Reads::regex, optional, "took 2"), "");
  EXPECT_EQ(refusal(Reads::regex, optional, "took 2, and 3 s"), "");
  for (const std::string line :
       {"took 2 \u00b5s", "took 2 us", "took 2min", "took 2%", "took 2\tus", "took 2,5 ms",
        "took 2'000 ms", "took 2_000 ms", "took 2:30", "took 2;us", "took 2(us)", "took 2-us"}) {
    EXPECT_EQ(refusal(Reads::regex, optional, line).substr(0, 17), "time: the unit of") << line;
  }
}

TEST(ReadFigures, APartOfANumberOrAnotherUnitIsRefused) {
  const Figure time{"time", "took ([0-9.]+)", "ms"};
  for (const std::string line : {"took 2 \u00b5s", "took 5 s", "took 5us", "took 5 us, good",
                                 "took 5k", "took 5e3", "took 5,5"}) {
    EXPECT_TRUE(refusal(Reads::regex, time, line).find("is not in ms: match the unit") !=
                std::string::npos)
        << line;
  }
  for (const std::string line : {"took 5", "took 5 ms", "took 5ms.", "took 5, then 6",
                                 "took 5 rounds", "took 5 (4 s before)"}) {
    EXPECT_EQ(refusal(Reads::regex, time, line), "") << line;
  }
  const Figure spelled{"rows", "([0-9]+)x[0-9]+"};
  EXPECT_EQ(refusal(Reads::regex, spelled, "of 3x4"), "") << "the expression says what follows";
}

TEST(ReadFigures, ANumberThatTheExpressionCutsIsRefused) {
  const Figure whole{"time", "took ([0-9]+)", "ms"};
  for (const std::string line : {"took 2.5 ms", "took 2'500 ms", "took 2_500 ms", "took 2/5 ms",
                                 "took 2 (us)", "took 2[us]", "took 2k ms"}) {
    EXPECT_TRUE(refusal(Reads::regex, whole, line).find("is not in ms: match the unit") !=
                std::string::npos)
        << line;
  }
  const Figure last{"time", ".*([0-9]+) ms", "ms"};
  for (const std::string line : {"took 12.5 ms", "took 25 ms"}) {
    EXPECT_NE(refusal(Reads::regex, last, line).find("only a part of a number"), std::string::npos)
        << line;
  }
  EXPECT_EQ(refusal(Reads::regex, last, "took 5 ms"), "");
  const Figure first{"time", "([0-9.]+) ?ms", "ms"};
  for (const std::string line : {"1e-3 ms", "1.5E+3 ms", "1.e3 ms", "0x10 ms", "-2 ms", "t=-2 ms",
                                 "1:30 ms", "at 1:30 ms", "1'000 ms"}) {
    EXPECT_NE(refusal(Reads::regex, first, line).find("only a part of a number"), std::string::npos)
        << line;
  }
  for (const std::string line :
       {"2 ms", "t=2 ms", "t:2 ms", "gpu0:30 ms", "run-2 ms", "take 3 ms", "box10 ms"}) {
    EXPECT_EQ(refusal(Reads::regex, first, line), "") << line;
  }
  EXPECT_NE(refusal(Reads::regex, {"time", "t=([0-9]+)", "ms"}, "t=2/us").find("is not in ms"),
            std::string::npos);
  for (const std::string line : {"took 5 (min 3, max 8)", "took 8 [h 3]", "took 2 (ms)",
                                 "took 2[ms]", "took 2. Then 3 s", "took 2/run"}) {
    EXPECT_EQ(refusal(Reads::regex, whole, line), "") << line;
  }
}

TEST(ReadFigures, EndWhereSomebodyAsksForIt) {
  const Figure time{"time", "(?:a|aa|aaa|b)*c took ([0-9]+) ms", "ms"};
  int asked = 0;
  const text::Ask ask = [&] {
    if (++asked > 3) throw std::runtime_error("no more");
  };
  EXPECT_THROW(read_figures(reading(Reads::regex, {time}), std::string(1 << 20, 'a'), ask),
               std::runtime_error);
  EXPECT_EQ(asked, 4) << "within one line";
}

TEST(ReadFigures, TakeATimeThatDoesNotGrowWithTheSquareOfTheOutput) {
  std::string many = "[";
  for (int i = 0; i < 200'000; ++i) many += "{},";
  std::string members = "{";
  for (int i = 0; i < 200'000; ++i) members += "\"" + std::to_string(i) + "\":0,";
  EXPECT_EQ(refusal(Reads::json, {"n", "n"}, many + "{}]"), "n: the output has no value at n");
  EXPECT_EQ(refusal(Reads::json, {"n", "n"}, members + "\"n\":1}"),
            "the JSON output has an object with more than 20000 members");
}

TEST(ReadFigures, OfALineOfAnyLength) {
  const Figure time{"time", "took ([0-9]+) ms", "ms"};
  const auto output = std::string(longest_output / 2, 'x') + "took 3 ms" + std::string(9000, 'x');
  EXPECT_EQ(read_figures(reading(Reads::regex, {time}), output).at("time"), Values{0.003});
}

TEST(ReadFigures, OfJson) {
  const std::string output =
      R"({"runs": [{"s": 0.5, "gb": "12"}, {"s": 0.25, "gb": "24"}], "n": {"all": 3}, "w": "x"})";
  const auto values = read_figures(
      reading(Reads::json,
              {{"time", "runs/*/s", "s"}, {"bandwidth", "/runs/1/gb", "GB/s"}, {"cases", "n/*"}}),
      output);
  EXPECT_EQ(values.at("time"), (Values{0.5, 0.25}));
  EXPECT_EQ(values.at("bandwidth"), Values{24e9});
  EXPECT_EQ(values.at("cases"), Values{3});
  EXPECT_EQ(refusal(Reads::json, {"n", "runs/2/s"}, output),
            "n: the output has no value at runs/2/s");
  EXPECT_EQ(refusal(Reads::json, {"n", "nothing"}, output),
            "n: the output has no value at nothing");
  EXPECT_EQ(refusal(Reads::json, {"n", "runs/0"}, output),
            "n: the value at runs/0 is not a number");
  EXPECT_EQ(refusal(Reads::json, {"n", "w"}, output), "n: 'x' is not a number");
  EXPECT_EQ(refusal(Reads::json, {"n", "n"}, "not json"), "the output is not JSON");
  EXPECT_EQ(refusal(Reads::json, {"n", "n"}, std::string(100'000, '[')),
            "the JSON output is nested too deeply");
}

TEST(ReadFigures, TheCasesOfABenchmarksFile) {
  std::vector<std::string> notes;
  const auto found =
      read_benchmarks(APOD_SOURCE_DIR "/tests/data/results/google/repetitions.json", notes);
  ASSERT_FALSE(found.empty());
  EXPECT_GT(found.front().samples_s.size(), 1U);
  for (const auto& note : notes) EXPECT_FALSE(contains(note, "repetitions.json")) << note;
  EXPECT_TRUE(contains(error_of([&] { read_benchmarks("/dev/null", notes); }),
                       "the file that the program wrote: "));
}

TEST(ReadFigures, CasesOfAnyJsonAreWhereThePathsSay) {
  CommandSpec command{.reads = Reads::json,
                      .figures = {{"time", "ms", "ms"}, {"misses", "cache/misses", ""}},
                      .cases = "runs",
                      .case_name = "label"};
  const std::string output = R"({"runs":[{"label":"a","ms":2,"cache":{"misses":3}},
    {"label":"b","ms":4},{"label":"a","ms":6,"cache":{"misses":3}}]})";
  EXPECT_TRUE(command.finds_cases());
  std::vector<std::string> notes;
  const auto found = read_json_cases(command, output, notes);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "a");
  EXPECT_EQ(found[0].samples_s, (Values{2e-3, 6e-3})) << "a name that is there again";
  EXPECT_EQ(found[0].facts.at("misses"), 3);
  EXPECT_EQ(found[1].samples_s, Values{4e-3});
  command.cases = "runs/*";
  EXPECT_EQ(read_json_cases(command, output, notes).size(), 2U);
  command.cases = "none";
  EXPECT_EQ(error_of([&] { read_json_cases(command, output, notes); }),
            "the output has no case at none");
  command.cases = "runs";
  EXPECT_EQ(notes, std::vector<std::string>());
}

TEST(ReadFigures, ARowOfCasesThatCannotBeReadCostsThatRow) {
  const CommandSpec command{.reads = Reads::json,
                            .figures = {{"time", "ms", "ms"}},
                            .cases = "runs",
                            .case_name = "label"};
  std::vector<std::string> notes;
  const auto found =
      read_json_cases(command,
                      R"({"runs":[{"label":"a","ms":2},{"label":"b"},{"ms":3},{"label":"c","ms":0},
                  {"label":"d","ms":1},{"label":"d"}]})",
                      notes);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].samples_s, Values{2e-3});
  EXPECT_EQ(found[0].failed, "");
  EXPECT_EQ(found[1].failed, "no time: the file has no value at ms");
  EXPECT_EQ(found[2].failed, "time: 0 s is not a time");
  EXPECT_EQ(found[3].failed, "no time: the file has no value at ms");
  EXPECT_TRUE(found[3].samples_s.empty()) << "a case that failed has no time";
  EXPECT_EQ(notes, std::vector<std::string>{"left out, case 2: label: no name"});
  EXPECT_EQ(error_of([&] { read_json_cases(command, R"({"runs":[{"ms":1}]})", notes); }),
            "left out, case 0: label: no name");
}

}  // namespace
}  // namespace apod::files
