#include "kernels/api/demangle.hpp"

#include <gtest/gtest.h>

namespace apod {
namespace {

TEST(Demangle, LeavesNamesOfC) {
  EXPECT_EQ(demangled("_Z4copyPfPKfi"), "copy(float*, float const*, int)");
  for (const auto* name : {"f", "b", "x", "Pf", "copy"}) EXPECT_EQ(demangled(name), name);
}

}  // namespace
}  // namespace apod
