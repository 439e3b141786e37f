#include "benchmarks/cli/planning.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace apod::cli {
namespace {

/// A registry whose CUDA has no device, and so much to show for one.
Registry without_devices(const std::string& sign) {
  Registry registry;
  registry.add(BackendEntry{BackendKind::cuda,
                            [](std::string& why) {
                              why = "driver on holiday";
                              return std::vector<DeviceFacts>();
                            },
                            {},
                            [=] { return sign; }});
  return registry;
}

TEST(LookAtMachine, MeasuresTheHostOnlyWhereThereIsNoDeviceOrItWasAskedFor) {
  const auto none = without_devices("");
  EXPECT_EQ(look_at_machine({}, none).preferred, BackendKind::host);
  const auto broken = without_devices("/dev/nvidiactl");
  Options asked;
  asked.backend = BackendChoice::host;
  EXPECT_EQ(look_at_machine(asked, broken).preferred, BackendKind::host);
  try {
    look_at_machine({}, broken);
    ADD_FAILURE() << "it fell back to the host";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "an NVIDIA GPU or its driver is here (/dev/nvidiactl), but can't be used: driver "
                 "on holiday (--backend host measures the host)");
  }
}

}  // namespace
}  // namespace apod::cli
