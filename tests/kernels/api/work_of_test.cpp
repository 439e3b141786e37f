#include <gtest/gtest.h>

#include "kernels/api/workload.hpp"

namespace apod {
namespace {

struct Multiplies : Family {
  std::string_view name() const override { return "multiplies"; }
  std::string_view summary() const override { return ""; }
  std::vector<AxisSpec> axes() const override { return {}; }
  Footprint footprint(const Params&) const override { return {}; }
  Traffic traffic(const Params&) const override {
    return {.bytes_read = 4, .flops_fp32 = 100, .flops_fp64 = 7};
  }
  std::unique_ptr<Problem> make(const Params&, const DataSpec&) const override { return nullptr; }
};
struct Direct : Variant {
  void compute(const Task&) const override {}
};
struct Transform : Direct {
  bool executes_counted_work(const Params&) const override { return false; }
};

TEST(WorkOf, ReplacedArithmeticIsARateAndLoadsNoUnit) {
  const auto direct = work_of(Multiplies(), Direct(), {});
  EXPECT_EQ(direct.flops_fp32, 100);
  EXPECT_EQ(direct.flops_fp64, 7);
  EXPECT_EQ(direct.flops_replaced, 0);
  const auto transform = work_of(Multiplies(), Transform(), {});
  EXPECT_EQ(transform.flops_fp32, 0);
  EXPECT_EQ(transform.flops_fp64, 0);
  EXPECT_EQ(transform.flops(), direct.flops());
  EXPECT_EQ(transform.bytes_read, 4);
}

}  // namespace
}  // namespace apod
