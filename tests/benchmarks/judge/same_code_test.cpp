#include "benchmarks/judge/same_code.hpp"

#include <gtest/gtest.h>

namespace apod::judge {
namespace {

using Names = std::vector<std::string>;

Side side_in(const std::string& backend) {
  Side side;
  SideSession session;
  session.environment["backend"] = backend;
  side.sessions.push_back(session);
  for (const char* name : {"x", "y"}) {
    SideCase c;
    c.name = name;
    c.params = {{"size", "8"}};
    c.version = "launch:blocked";
    c.kernel_code = {{"k1", "11"}, {name, "22"}};
    side.cases.push_back(c);
  }
  return side;
}

TEST(ChangedCases, AreNoneWhereAllIsTheSame) {
  const auto changed = changed_cases(side_in("cuda"), side_in("cuda"));
  EXPECT_EQ(changed.identical, (Names{"x", "y"}));
  EXPECT_EQ(changed.base, Names{});
  EXPECT_EQ(changed.new_side, Names{});
  EXPECT_EQ(changed.why, Names{});
}

TEST(ChangedCases, AreThoseOfWhichSomethingDiffersOrMay) {
  struct Example {
    std::string why;
    void (*change)(SideCase&);
  };
  for (const auto& [why, change] :
       {Example{"the machine code of the kernels differs",
                [](SideCase& c) {
                  c.kernel_code = {{"k1", "12"}, *std::prev(c.kernel_code.end())};
                }},
        Example{"the machine code of the kernels differs",
                [](SideCase& c) { c.kernel_code = {*c.kernel_code.begin()}; }},
        Example{"the machine code of the kernels was not recorded",
                [](SideCase& c) {
                  c.kernel_code = {{"k1", ""}, *std::prev(c.kernel_code.end())};
                }},
        Example{"the machine code of the kernels was not recorded",
                [](SideCase& c) { c.kernel_code = {}; }},
        Example{"the parameters differ", [](SideCase& c) { c.params[0].second = "9"; }},
        Example{"the settings differ", [](SideCase& c) { c.version = "launch:graph"; }},
        Example{"the machine code could not be recorded",
                [](SideCase& c) { c.failed = "wrong result"; }}}) {
    auto after = side_in("cuda");
    change(after.cases[1]);
    const auto changed = changed_cases(side_in("cuda"), after);
    EXPECT_EQ(changed.identical, Names{"x"}) << why;
    EXPECT_EQ(changed.base, Names{"y"});
    EXPECT_EQ(changed.new_side, Names{"y"});
    EXPECT_EQ(changed.why, Names{"1 case is measured: " + why});
  }
}

TEST(ChangedCases, OfTheHostHaveNoKernels) {
  auto base = side_in("host");
  for (auto& c : base.cases) c.kernel_code = {};
  EXPECT_EQ(changed_cases(base, base).identical, (Names{"x", "y"}));
  base.sessions[0].environment["backend"] = "cuda";
  EXPECT_EQ(changed_cases(base, base).identical, Names{});
  base.cases[0].facts = {{"kernels", 0}};
  EXPECT_EQ(changed_cases(base, base).identical, Names{"x"}) << "a case that only copies";
}

TEST(ChangedCases, OfOneSideRunThere) {
  auto base = side_in("cuda");
  base.cases.pop_back();
  const auto changed = changed_cases(base, side_in("cuda"));
  EXPECT_EQ(changed.identical, Names{"x"});
  EXPECT_EQ(changed.base, Names{});
  EXPECT_EQ(changed.new_side, Names{"y"});
}

}  // namespace
}  // namespace apod::judge
