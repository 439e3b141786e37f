// A variant that needs what the machine may lack is skipped with its reason, built or not.

#include <gtest/gtest.h>

#include "tests/benchmarks/plan/planned.hpp"
#include "tests/support/texts.hpp"

namespace apod::plan {
namespace {

struct Nothing : Variant {
  void compute(const Task&) const override {}
};
struct OfHopper : Nothing {
  std::string_view compute_capability() const override { return "9.0"; }
};

/// `sum` with four more variants: a library that is here, one that is not, one whose headers were
/// missing, and one with code for a single compute capability.
Registry registry_with_libraries() {
  auto registry = test::fake_registry();
  const auto add = [&](const char* name, bool built, const char* missing) {
    VariantEntry entry{"sum",          name, BackendKind::cuda,
                       "of a library", {},   [missing] { return std::string(missing); }};
    if (built) entry.make = [] { return std::make_unique<Nothing>(); };
    registry.add(std::move(entry));
  };
  add("library", true, "");
  add("absent", true, "no libfast.so.1 found");
  add("headerless", false, "built without fast.h");
  registry.add({"sum", "hopper", BackendKind::cuda, "of one device",
                [] { return std::make_unique<OfHopper>(); }});
  return registry;
}

/// "variant: reason" of each case, one a line.
std::string skips(const std::string& variants, const ExpandOptions& options = {}) {
  const auto outcome = plan_of("  - {workload: sum, axes: {" + variants + "size: 10}}\n", options,
                               {.registry = registry_with_libraries()});
  auto text = messages(outcome);
  if (!outcome.plan) return text;
  for (const auto& c : outcome.plan->cases) text += c.variant + ": " + c.skip + "\n";
  return text;
}

TEST(Missing, IsTheReasonToSkip) {
  EXPECT_EQ(skips("variant: [library, absent, headerless, fast], "),
            "library: \nabsent: no libfast.so.1 found\nheaderless: built without fast.h\nfast: \n");
}

TEST(Missing, DoesNotHideWhatTheWholeMachineLacks) {
  ExpandOptions options;
  options.cuda_available = false;
  options.cuda_missing_reason = "no GPU in this machine";
  EXPECT_EQ(skips("variant: [library, absent, headerless], ", options),
            "library: no GPU in this machine\nabsent: no GPU in this machine\n"
            "headerless: built without fast.h\n");
}

TEST(Missing, IsCodeForTheDevice) {
  EXPECT_EQ(skips("variant: hopper, ", {.compute_capability = "9.0"}), "hopper: \n");
  EXPECT_EQ(skips("variant: [hopper, library], ", {.compute_capability = "8.6"}),
            "hopper: hopper runs only on devices of compute capability 9.0; this device has "
            "8.6\nlibrary: \n");
  EXPECT_EQ(skips("variant: hopper, "), "hopper: \n") << "the device is not known";
}

TEST(Missing, KeepsNobodyFromTheOthers) {
  const auto all = skips("");
  EXPECT_TRUE(contains(all, "absent: no libfast.so.1 found\n"));
  EXPECT_TRUE(contains(all, "library: \n"));
  EXPECT_TRUE(contains(all, "fast: \n"));
}

}  // namespace
}  // namespace apod::plan
