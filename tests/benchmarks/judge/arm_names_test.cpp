#include "benchmarks/judge/arm_names.hpp"

#include <gtest/gtest.h>

namespace apod::judge {
namespace {

TEST(CommonName, LosesTheValueOfTheAxisWhereItIsNamed) {
  struct Example {
    const char* name;
    const char* axis;
    const char* value;
    const char* common;
  };
  for (const auto& [name, axis, value, common] :
       {Example{"e/host/size:8/streams:4", "streams", "4", "e/host/size:8"},
        Example{"e/host/size:8/streams:4/x:1", "size", "8", "e/host/streams:4/x:1"},
        // The variant is the word of its own; the experiment may be called like it.
        Example{"e/host/size:8", "variant", "host", "e/size:8"},
        Example{"host/host/size:8", "variant", "host", "host/size:8"},
        Example{"e/app/dir:/tmp", "dir", "/tmp", "e/app"},
        Example{"e/app/dir:/usr/lib/size:8", "dir", "/usr/lib", "e/app/size:8"},
        Example{"e/app/in:/tmp/a/dir:/tmp", "dir", "/tmp", "e/app/in:/tmp/a"},
        Example{"e/./app/size:8", "variant", "./app", "e/size:8"},
        Example{"e/application/size:8", "variant", "app", "e/application/size:8"},
        Example{"e/host/size:4096/x:1", "size", "4k", "e/host/x:1"},
        Example{"e/host/size:8", "", "", "e/host/size:8"},
        Example{"e/host/size:8", "streams", "4", "e/host/size:8"},
        Example{"", "streams", "4", ""}}) {
    EXPECT_EQ(common_name(name, axis, value), common) << name << " " << axis;
  }
}

}  // namespace
}  // namespace apod::judge
