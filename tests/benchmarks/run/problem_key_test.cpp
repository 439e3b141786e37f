// Which cases of a kernel file share their inputs and their reference.

#include "benchmarks/run/problem_key.hpp"

#include <gtest/gtest.h>

#include "kernels/files/kernel_family.hpp"

namespace apod::run {
namespace {

/// The first cases of the problems of cases that differ in `axis` alone, which is 128 and 256.
std::vector<std::size_t> firsts(const std::string& axis, const file::ReferenceSpec& reference) {
  Plan plan;
  auto& experiment = plan.experiments.emplace_back();
  experiment.workload = "kernel";
  auto& spec = experiment.kernel.emplace().spec;
  spec.axes = {{.name = "size", .help = "", .default_value = std::int64_t{512}},
               {.name = axis, .help = "", .default_value = std::int64_t{128}}};
  spec.launches = {{.file = "k.cu", .kernel = "k", .grid = {"1"}, .block = {axis}}};
  spec.args = {{.name = "y", .role = file::Role::out, .shape = {"size"}},
               {.name = "x", .shape = {"size"}}};
  spec.reference = reference;
  for (const std::int64_t value : {128, 256}) {
    auto& one = plan.cases.emplace_back();
    one.index = plan.cases.size() - 1;
    one.variant = "k.cu";
    one.params.set("variant", std::string("k.cu"));
    one.params.set("size", std::int64_t{512});
    one.params.set(axis, value);
  }
  return first_of_problem(plan, Registry());
}

TEST(ProblemKey, IsSharedByCasesWhoseDataIsTheSame) {
  const file::ReferenceSpec other{
      .kind = file::ReferenceSpec::Kind::kernel,
      .launch = {.file = "ref.cu", .kernel = "ref", .grid = {"1"}, .block = {"1"}}};
  const std::vector<std::size_t> one{0, 0};
  const std::vector<std::size_t> two{0, 1};
  EXPECT_EQ(firsts("block", other), one);
  EXPECT_EQ(firsts("TILE", other), two) << "it may be a macro of the reference's source";
  EXPECT_EQ(firsts("block", {}), two) << "each is its own reference";
}

}  // namespace
}  // namespace apod::run
