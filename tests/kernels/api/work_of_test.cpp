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
struct OnOrdinaryCores : Variant {
  void compute(const Task&) const override {}
};
struct OnTensorCores : OnOrdinaryCores {
  Number units_of_fp32() const override { return Number::tf32; }
};

TEST(WorkOf, ArithmeticCountsForTheUnitsThatDoIt) {
  const auto ordinary = work_of(Multiplies(), OnOrdinaryCores(), {});
  EXPECT_EQ(ordinary.flops_fp32, 100);
  EXPECT_EQ(ordinary.flops_tf32, 0);
  const auto tensor = work_of(Multiplies(), OnTensorCores(), {});
  EXPECT_EQ(tensor.flops_fp32, 0);
  EXPECT_EQ(tensor.flops_tf32, 100);
  EXPECT_EQ(tensor.flops_fp64, 7) << "in fp64 it takes the ordinary cores";
  EXPECT_EQ(tensor.flops(), ordinary.flops());
  EXPECT_EQ(tensor.bytes_read, 4);
}

}  // namespace
}  // namespace apod
