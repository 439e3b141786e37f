#include "kernels/api/demangle.hpp"

#include <gtest/gtest.h>

namespace apod {
namespace {

TEST(Demangle, LeavesNamesOfC) {
  EXPECT_EQ(demangled("_Z4copyPfPKfi"), "copy(float*, float const*, int)");
  for (const auto* name : {"f", "b", "x", "Pf", "copy"}) EXPECT_EQ(demangled(name), name);
}

TEST(Demangle, LeavesWhatWouldGrowToFillMemory) {
  EXPECT_EQ(demangled_if_short("_Z4copyPfPKfi"), "copy(float*, float const*, int)");
  // f(T, pair<T, T>, pair<pair<T, T>, pair<T, T>>, ...): each is twice the one before it.
  std::string name = "_Z1f1a";
  std::string twice = "S_";
  for (int i = 0; i < 40; ++i) {
    name += "1bI" + twice + twice + "E";
    const std::string digit(1,
                            i < 10 ? static_cast<char>('0' + i) : static_cast<char>('A' + i - 10));
    twice = i < 36 ? "S" + digit + "_" : twice;
  }
  EXPECT_EQ(demangled_if_short(name), name);
}

}  // namespace
}  // namespace apod
