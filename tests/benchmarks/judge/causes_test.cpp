#include "benchmarks/judge/causes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/benchmarks/judge/sides.hpp"
#include "tests/support/texts.hpp"

namespace apod::judge {
namespace {

SideCase side_with(Facts facts, Labels kernel_code = {}) {
  SideCase c = side_case("x", {1, 1});
  c.facts = std::move(facts);
  c.kernel_code = std::move(kernel_code);
  return c;
}

bool names(const std::vector<Cause>& causes, const std::string& fact) {
  return std::any_of(causes.begin(), causes.end(), [&](const Cause& c) { return c.fact == fact; });
}

TEST(Causes, ComeInTheOrderOfTheirWeightWithTheirNumbers) {
  struct Example {
    Facts before;
    Facts after;
    std::vector<std::string> first;
  };
  for (const auto& [before, after, first] :
       {Example{{{"pageable_bytes", 0}, {"pinned_bytes", 8e6}, {"sm_clock", 1980}},
                {{"pageable_bytes", 8e6}, {"pinned_bytes", 0}, {"sm_clock", 1830}},
                {"copies went from pinned to pageable host memory",
                 "copies with pageable memory 0 B -> 8 MB, worse",
                 "copies with pinned memory 8 MB -> 0 B"}},
        Example{{{"sm_clock", 1980}},
                {{"sm_clock", 1830}},
                {"SM clock 1980 MHz -> 1830 MHz (-7.6 %), worse", "kernel binary is the same"}},
        Example{{{"distinct_streams", 4}, {"overlap", 0.5}},
                {{"distinct_streams", 1}, {"overlap", 0}},
                {"distinct streams 4 -> 1", "overlap 50 % -> 0 %, worse"}},
        Example{{{"other_gpu_processes", 0}, {"other_load", 0.2}},
                {{"other_gpu_processes", 1}, {"other_load", 12.25}},
                {"other processes on the GPU 0 -> 1, worse",
                 "processors busy with other processes 0.2 -> 12.25, worse"}}}) {
    const auto causes =
        causes_of(side_with(before, {{"f()", "aa"}}), side_with(after, {{"f()", "aa"}}), {});
    ASSERT_GE(causes.size(), first.size());
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(causes[i].text, first[i]);
  }
  const auto quiet =
      causes_of(side_with({{"other_load", 0.1}}), side_with({{"other_load", 0.5}}), {});
  EXPECT_FALSE(names(quiet, "other_load"));
}

TEST(Causes, FromWhatWasNotThereNothingWent) {
  const auto none = side_with({{"pageable_bytes", 0}, {"pinned_bytes", 0}});
  const auto some = side_with({{"pageable_bytes", 167772160}, {"pinned_bytes", 0}});
  EXPECT_FALSE(names(causes_of(none, some, {}), "host_memory"));
  EXPECT_FALSE(names(causes_of(some, none, {}), "host_memory"));
  EXPECT_EQ(causes_of(none, some, {})[0].text,
            "copies with pageable memory 0 B -> 167.8 MB, worse");
  const auto pinned = side_with({{"pageable_bytes", 0}, {"pinned_bytes", 4e8}});
  const auto few = side_with({{"pageable_bytes", 4}, {"pinned_bytes", 4e8}});
  EXPECT_FALSE(contains(causes_of(pinned, few, {})[0].text, "went from"))
      << "4 of 400,000,000 bytes";
}

TEST(Causes, SayWhetherTheFactIsBetterOrWorse) {
  const auto text_of = [](const std::string& fact, double before, double after) {
    return causes_of(side_with({{fact, before}}), side_with({{fact, after}}), {}).front().text;
  };
  EXPECT_EQ(text_of("sm_clock", 1830, 1980), "SM clock 1830 MHz -> 1980 MHz (+8.2 %), better");
  EXPECT_EQ(text_of("idle", 0.1, 0.5), "nothing running 10 % -> 50 %, worse");
  EXPECT_EQ(text_of("idle", 0.5, 0.1), "nothing running 50 % -> 10 %, better");
  EXPECT_EQ(text_of("registers", 18, 32), "registers per thread 18 -> 32") << "neither";
}

TEST(Causes, FindingsThatCameOrWent) {
  auto base = side_with({{"span", 1}});
  auto next = side_with({{"span", 1}});
  base.findings = {{"idle-gaps", ""}, {"memory-bound", "3 TB/s of the 4 TB/s measured"}};
  next.findings = {{"memory-bound", "2 TB/s"}, {"pageable-transfer", "2 copies of 400 MB"}};
  const auto causes = causes_of(base, next, {});
  ASSERT_GE(causes.size(), 2u);
  EXPECT_EQ(causes[0].text, "new finding: pageable-transfer: 2 copies of 400 MB");
  EXPECT_EQ(causes[1].text, "finding gone: idle-gaps") << "an older file has the ids alone";
  EXPECT_EQ(causes[0].fact, "findings/pageable-transfer");
  next.facts.clear();
  EXPECT_FALSE(names(causes_of(base, next, {}), "findings/pageable-transfer"))
      << "one was traced, the other was not";
}

TEST(Causes, NoiseOfAFactIsNoCause) {
  const auto causes =
      causes_of(side_with({{"sm_clock", 1980}, {"overlap", 0.50}}, {{"f()", "aa"}}),
                side_with({{"sm_clock", 1979}, {"overlap", 0.52}}, {{"f()", "aa"}}), {});
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].text, "kernel binary and all recorded facts are equal");
}

/// The cause called `fact` where only the kernels' code is known; empty where it is not named.
std::string kernel_cause(const std::string& fact, const Labels& base, const Labels& new_code) {
  for (const auto& cause : causes_of(side_with({}, base), side_with({}, new_code), {})) {
    if (cause.fact == fact) return cause.text;
  }
  return "";
}

TEST(Causes, KernelsWhoseBinaryDiffersAreNamed) {
  const std::string scale = "void (anonymous namespace)::scale<2, (Op)1>(float (*)(int), int)";
  const Labels base{{"same()", "11"}, {"sum(float*)", "22"}, {scale, "33"}};
  const Labels changed{{"same()", "11"}, {"sum(float*)", "2f"}, {scale, "3f"}};
  EXPECT_EQ(kernel_cause("kernel", base, changed),
            "kernel binary differs: sum, void (anonymous namespace)::scale<2, (Op)1>");
  EXPECT_EQ(kernel_cause("kernel_names", base, changed), "");
}

TEST(Causes, AKernelWithASecondBinaryDiffers) {
  EXPECT_EQ(kernel_cause("kernel", {{"f()", "11"}}, {{"f()", "11"}, {"f()", "22"}}),
            "kernel binary differs: f");
}

TEST(Causes, OtherKernelsAreNamedThreeAtMost) {
  EXPECT_EQ(kernel_cause("kernel_names", {{"f()", "11"}}, {{"g()", "11"}}),
            "different kernels: f -> g");
  EXPECT_EQ(kernel_cause("kernel_names", {{"f()", "11"}},
                         {{"a()", "1"}, {"b", ""}, {"c()", "1"}, {"d()", "1"}, {"f()", "11"}}),
            "different kernels: none -> a, b, c and 1 more");
  EXPECT_EQ(kernel_cause("kernel", {{"f()", "11"}}, {{"g()", "11"}}), "") << "no verdict on either";
}

TEST(Causes, AKernelWhoseBinaryIsNotKnownIsNotCalledTheSame) {
  const Labels known{{"f()", "11"}, {"g()", "22"}};
  const Labels half{{"f()", "11"}, {"g()", ""}};
  for (const auto& [base, new_code] :
       {std::pair{known, half}, {half, known}, {half, half}, {known, Labels{}}}) {
    EXPECT_EQ(kernel_cause("kernel", base, new_code), "");
    EXPECT_TRUE(contains(kernel_cause("unknown", base, new_code), "kernel binary"));
    EXPECT_EQ(kernel_cause("none", base, new_code), "no recorded fact differs");
  }
  EXPECT_EQ(kernel_cause("none", known, known), "kernel binary and all recorded facts are equal");
  EXPECT_FALSE(contains(kernel_cause("unknown", known, known), "kernel binary"));
  EXPECT_EQ(kernel_cause("kernel", {{"f()", "11"}, {"g()", ""}}, {{"f()", "1f"}, {"g()", "22"}}),
            "kernel binary differs: f")
      << "one that is known to differ is enough";
}

TEST(Causes, WhatIsNotRecordedIsSaid) {
  const auto causes = causes_of(side_with({{"sm_clock", 1980}}), side_with({}), {});
  ASSERT_TRUE(names(causes, "unknown"));
  EXPECT_TRUE(contains(causes.back().text, "kernel binary"));
  EXPECT_TRUE(contains(causes.back().text, " more")) << "three are named";
  EXPECT_TRUE(names(causes, "none")) << "nothing recorded differs, and that is said too";
}

TEST(Causes, WhatVariesBetweenProcessesIsNoFinding) {
  const auto of = [](double system_s, double peak) {
    return causes_of(side_with({{"wall_time", 1}, {"system_time", 0.02}, {"peak_bytes", 13.63e6}}),
                     side_with({{"wall_time", 1}, {"system_time", system_s}, {"peak_bytes", peak}}),
                     {});
  };
  EXPECT_TRUE(names(of(0.01, 13.23e6), "none")) << "a hundredth of the time, and 3 % of the memory";
  const auto large = of(0.2, 27e6);
  ASSERT_EQ(large.size(), 2U);
  EXPECT_EQ(large[0].text, "CPU time, system 20 ms -> 200 ms (+900.0 %)");
  EXPECT_FALSE(contains(large[1].text, "worse")) << "it has no interval";
}

TEST(Causes, WhatCouldNotBeRecordedIsNotMissed) {
  const auto unknown_of = [](Facts facts) {
    const auto causes = causes_of(side_with(facts), side_with(facts), {});
    return names(causes, "unknown") ? causes.back().text : "";
  };
  EXPECT_FALSE(contains(unknown_of({{"sm_clock", 1980}}), "peak memory")) << "of a kernel";
  EXPECT_EQ(unknown_of({{"wall_time", 1}, {"other_load", 0}}), "") << "of a command";
  const auto one_sided =
      causes_of(side_with({{"wall_time", 1}, {"user_time", 1}}), side_with({{"wall_time", 1}}), {});
  EXPECT_EQ(one_sided.back().text, "not recorded on at least one side: CPU time, user");
}

TEST(Causes, OfAProgramTellWhatItsDeviceTook) {
  const auto causes_from = [](Facts more, double kernels_before, double kernels_after) {
    auto before = more;
    auto after = more;
    before.merge({{"kernel_time", kernels_before}});
    after.merge({{"kernel_time", kernels_after}});
    return causes_of(side_with(before), side_with(after), {});
  };
  const Facts program{{"wall_time", 1}, {"copy_time", 0.02}};
  EXPECT_EQ(causes_from(program, 0.01, 0.03).front().text,
            "time during which a kernel runs 10 ms -> 30 ms (+200.0 %), worse");
  EXPECT_FALSE(names(causes_from(program, 0.01, 0.0108), "kernel_time")) << "one run a side";
  EXPECT_FALSE(names(causes_from(program, 0.01, 0), "kernel_time")) << "then no kernel ran";
  EXPECT_FALSE(names(causes_from({}, 0.01, 0.03), "kernel_time")) << "a kernel's own time says it";
}

TEST(Causes, OfAProgramNameTheKernelsWhoseTimeMoved) {
  const auto told = [](Facts base, Facts next) {
    base.merge({{"wall_time", 1}});
    next.merge({{"wall_time", 1}});
    std::vector<std::string> texts;
    for (const auto& cause : causes_of(side_with(base), side_with(next), {})) {
      if (cause.fact.starts_with(kernel_time_of)) texts.push_back(cause.text);
    }
    return texts;
  };
  const auto of = [](const std::string& kernel, double ms, double launches) {
    return Facts{{"kernel_time/" + kernel, 1e-3 * ms}, {"launches/" + kernel, launches}};
  };
  const auto all = [](std::vector<Facts> some) {
    Facts facts;
    for (const auto& one : some) facts.merge(one);
    return facts;
  };
  using Texts = std::vector<std::string>;
  const auto base = all({of("scale(float*, int)", 1.2, 20), of("same()", 5, 3)});
  EXPECT_EQ(told(base, all({of("scale(float*, int)", 3.5, 20), of("same()", 5.4, 3)})),
            Texts{"kernel scale: 1.2 ms -> 3.5 ms (+191.7 %), 20 launches, worse"});
  EXPECT_EQ(told(base, all({of("scale(float*, int)", 0.6, 10), of("same()", 5, 3)})),
            Texts{"kernel scale: 1.2 ms -> 600 us (-50.0 %), 20 -> 10 launches, better"});
  EXPECT_EQ(told(base, all({base, of("more()", 2, 1)})),
            Texts{"kernel more: 0 s -> 2 ms, 0 -> 1 launches, worse"});
  EXPECT_EQ(told(all({base, of("tiny()", 0.01, 1)}), all({base, of("tiny()", 0.05, 1)})), Texts{})
      << "less than a hundredth of what all take";
  EXPECT_EQ(told(base, {}), Texts{}) << "it was not traced";
  Facts before, after;
  for (const char* name : {"a", "b", "c", "d"}) {
    before.merge(of(name, 1 + name[0] - 'a', 1));
    after.merge(of(name, 2 * (1 + name[0] - 'a'), 1));
  }
  const auto most = told(before, after);
  ASSERT_EQ(most.size(), 3U);
  EXPECT_TRUE(most.front().starts_with("kernel d: 4 ms -> 8 ms"));
}

TEST(Causes, FilesWithoutAnyFactHaveNone) {
  EXPECT_TRUE(causes_of(side_with({}), side_with({}), {}).empty());
}

TEST(Causes, OfEarlierResultsOnePlaceInMemoryIsKnown) {
  const auto causes = causes_of(side_with({}), side_with({{"memory_places", 4}}), {});
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].text, "places in memory 1 -> 4");
  for (const auto& cause :
       causes_of(side_with({{"registers", 8}}), side_with({{"registers", 9}}), {}))
    EXPECT_EQ(cause.text.find("places"), std::string::npos) << cause.text;
}

TEST(Causes, TheBuildAndTheLoadCountTheHostsNameDoesNot) {
  const std::vector<EnvironmentChange> changes{{"commit", "commit a -> b", false},
                                               {"host", "host x -> y", false}};
  const auto causes = causes_of(side_with({}), side_with({}), changes);
  EXPECT_TRUE(names(causes, "environment/commit"));
  EXPECT_FALSE(names(causes, "environment/host"));
}

Side machine(std::map<std::string, std::string> environment) {
  Side side = side_of({});
  side.sessions[0].environment = std::move(environment);
  return side;
}

TEST(EnvironmentChanges, DecisiveOnesComeFirst) {
  const auto changes = environment_changes(machine({{"commit", "a"}, {"gpu", "H100"}}),
                                           machine({{"commit", "b"}, {"gpu", "H200"}}));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].text, "gpu H100 -> H200");
  EXPECT_TRUE(changes[0].decisive);
  EXPECT_FALSE(changes[1].decisive);
  EXPECT_TRUE(environment_changes(machine({{"gpu", "G"}, {"date", "1"}}),
                                  machine({{"gpu", "G"}, {"date", "2"}}))
                  .empty());
}

TEST(EnvironmentChanges, AKeyThatOneSideLacksDecidesNothing) {
  const auto changes = environment_changes(machine({{"gpu", "G"}}), machine({}));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_FALSE(changes[0].decisive);
  EXPECT_TRUE(contains(changes[0].text, "recorded only on the base side"));
}

TEST(EnvironmentChanges, OfManyNightsNotAllCommitsAreListed) {
  auto nights = machine({{"commit", "a"}});
  for (const char* commit : {"b", "c", "d", "e"}) {
    nights.sessions.push_back(nights.sessions.front());
    nights.sessions.back().environment["commit"] = commit;
  }
  const auto changes = environment_changes(nights, machine({{"commit", "f"}}));
  EXPECT_EQ(changes.at(0).text, "commit a, b, c and 2 more -> f");
}

TEST(EnvironmentChanges, SessionsOfOneSideThatDisagreeAreDecisive) {
  Side mixed = machine({{"driver", "1"}});
  mixed.sessions.push_back({"b.json", "apod", {{"driver", "2"}}});
  const auto changes = environment_changes(mixed, mixed);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_TRUE(changes[0].decisive);
}

}  // namespace
}  // namespace apod::judge
