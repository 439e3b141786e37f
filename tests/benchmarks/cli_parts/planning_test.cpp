#include "benchmarks/cli/planning.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "benchmarks/cli/listing.hpp"

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
                 "this machine has an NVIDIA GPU or driver (/dev/nvidiactl), but it can't be used: "
                 "driver on holiday (to measure the host: --backend host)");
  }
}

TEST(TimeText, SaysHowLongARunTakesOnABusyMachine) {
  EXPECT_EQ(time_text({10, 30}, 0, 2), "5.0 s to 30.0 s");
  EXPECT_EQ(time_text({10, 10}, 0.9, 2), "5.0 s to 20.0 s");
  EXPECT_EQ(time_text({10, 30}, 13, 2),
            "5.0 s to 30.0 s, or up to 3 min 30 s if other programs keep the machine as busy as "
            "now (load 13.0, 2 processors)");
  EXPECT_EQ(time_text({0, 0}, 13, 1), "0.0 s");
}

}  // namespace
}  // namespace apod::cli
