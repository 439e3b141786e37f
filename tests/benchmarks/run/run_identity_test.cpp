#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>

#include "benchmarks/run/journal.hpp"
#include "tests/kernels/api/temporary_folder.hpp"
#include "tests/support/scripted_backend.hpp"

namespace apod::run {
namespace {

TEST(Fingerprint, TellsPlansApartByWhatChangesASample) {
  const auto plan = test::echo_plan({"echo"}, {});
  const auto its_own = fingerprint(plan);
  for (const auto& part : {its_own.cases, its_own.data}) EXPECT_EQ(part.size(), 16U);
  EXPECT_NE(its_own.measuring.find("max_time="), std::string::npos) << its_own.measuring;
  using Change = std::function<void(Plan&)>;
  const auto expect_change = [&](std::string Fingerprint::*part, const Change& change) {
    auto other = plan;
    change(other);
    auto changed = fingerprint(other);
    EXPECT_NE(changed.*part, its_own.*part);
    changed.*part = its_own.*part;
    EXPECT_EQ(changed, its_own) << "nothing but this part";
  };
  expect_change(&Fingerprint::cases, [](Plan& p) { p = test::echo_plan({"waiting"}, {}); });
  expect_change(&Fingerprint::cases,
                [](Plan& p) { p.cases[0].params.set("size", std::int64_t{17}); });
  expect_change(&Fingerprint::measuring,
                [](Plan& p) { p.experiments[0].measure.precision = 0.02; });
  expect_change(&Fingerprint::measuring,
                [](Plan& p) { p.experiments[0].scope = Scope::end_to_end; });
  expect_change(&Fingerprint::data, [](Plan& p) { p.experiments[0].data.seed = 43; });

  auto other = plan;
  other.experiments[0].measure.timeout_s *= 2;
  Expectation rule;
  rule.fact = "distinct_streams";
  rule.condition = {Comparator::eq, {4.0}, "== 4"};
  other.experiments[0].expectations = {rule};
  EXPECT_EQ(fingerprint(other), its_own) << "these change no sample";
}

TEST(Fingerprint, FollowsTheDataFile) {
  const TemporaryFolder folder;
  const auto file = folder.path("data.npy");
  auto plan = test::echo_plan({"echo"}, {});
  plan.experiments[0].data.file = file;
  const auto unused = fingerprint(plan);
  std::ofstream(file) << "abc";
  EXPECT_EQ(fingerprint(plan), unused) << "generated data needs no file";

  plan.experiments[0].data.kind = DataSpec::Kind::file;
  const auto first = fingerprint(plan);
  EXPECT_EQ(fingerprint(plan), first);
  const auto written = std::filesystem::last_write_time(file);
  std::ofstream(file) << "abcd";
  std::filesystem::last_write_time(file, written);
  const auto longer = fingerprint(plan);
  EXPECT_NE(longer, first);
  std::filesystem::last_write_time(file, written + std::chrono::seconds(1));
  EXPECT_NE(fingerprint(plan), longer);
  std::filesystem::remove(file);
  EXPECT_NE(fingerprint(plan), longer);
}

TEST(RunIdentity, SaysWhatDiffers) {
  const RunIdentity made{{"1", "1", "a=2 b=2"}, "1a2b3c", "GPU-1", "bench --config a.yaml"};
  EXPECT_EQ(difference(made, made), "");
  auto other = made;
  other.command = "bench --config a.yaml --resume";
  EXPECT_EQ(difference(made, other), "") << "how it was asked for changes no sample";
  other.build = "4d5e6f";
  EXPECT_EQ(difference(made, other), "the journal is from build 1a2b3c, but this is build 4d5e6f");
  other = made;
  other.device = "host";
  EXPECT_EQ(difference(made, other), "the journal is from GPU-1, but this run would use host");
  other = made;
  const std::string whose = "; to continue it, add --resume to its command: bench --config a.yaml";
  other.plan.measuring = "a=3 b=2 c=1";
  EXPECT_EQ(difference(made, other),
            "the journal differs from this run in the measure settings (a, c)" + whose);
  other.plan.data = "3";
  EXPECT_EQ(
      difference(made, other),
      "the journal differs from this run in the data and the measure settings (a, c)" + whose);
  other = made;
  other.plan.cases = "3";
  EXPECT_EQ(difference(made, other), "the journal differs from this run in the cases" + whose);
}

}  // namespace
}  // namespace apod::run
