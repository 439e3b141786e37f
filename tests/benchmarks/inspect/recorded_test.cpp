// What is found in recordings of real programs on an H200, made by
// tests/data/inspect/make_profiles.py from nsys exports: a tutorial's scripts on streams (v1, v3,
// and v3 with one stream for four), its convolution with a double in it, and a small network.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "benchmarks/inspect/findings.hpp"
#include "benchmarks/report/fields.hpp"
#include "benchmarks/report/profile_fields.hpp"

namespace apod::inspect {
namespace {

struct Recording {
  explicit Recording(const std::string& name) {
    std::ifstream file(APOD_SOURCE_DIR "/tests/data/inspect/" + name + ".json");
    const auto json = report::Json::parse(file);
    report::Reader::read(json.at("profile"), profile);
    report::Reader::read(json.at("facts"), facts);
    device.backend = BackendKind::cuda;
    device.name = json.at("device").at("name");
    device.multiprocessors = json.at("device").at("multiprocessors");
    device.max_threads_per_multiprocessor = json.at("device").at("max_threads_per_multiprocessor");
  }
  /// "idle-gaps! memory-bound": ids in order, warnings with a mark.
  std::string found(const CaseEvidence* asked = nullptr) const {
    std::string text;
    for (const auto& finding : findings({profile, facts, device, nullptr, asked})) {
      text += (text.empty() ? "" : " ") + finding.id +
              (finding.severity == Severity::warning ? "!" : "");
    }
    return text;
  }

  Profile profile;
  std::map<std::string, double> facts;
  DeviceFacts device;
};

TEST(Recorded, V1CopiesFromPageableMemoryAndAddsUpInOneThread) {
  EXPECT_EQ(Recording("v1").found(),
            "idle-gaps! synchronous-copy! pageable-transfer! single-thread-kernel");
}

TEST(Recorded, V3IsPinnedAndItsMiddleKernelIsOneThread) {
  EXPECT_EQ(Recording("v3s1").found(), "idle-gaps! single-thread-kernel!");
  EXPECT_EQ(Recording("v3s8").found(), "idle-gaps! single-thread-kernel!");
}

TEST(Recorded, TheBugIsFoundWhereItIsKnownThatFourStreamsWereAsked) {
  Recording bug("v3bug4");
  EXPECT_EQ(bug.found(), "idle-gaps! single-thread-kernel!") << "one stream was made";
  Params params;
  params.set("streams", std::int64_t{4});
  const CaseEvidence asked{
      .params = params, .end_to_end = true, .traffic = {}, .time_s = bug.facts.at("span")};
  bug.facts["distinct_streams"] = 1;
  EXPECT_NE(bug.found(&asked).find("aliased-streams!"), std::string::npos) << bug.found(&asked);
}

TEST(Recorded, TheConvolutionHasFewerBlocksThanMultiprocessors) {
  EXPECT_EQ(Recording("convd").found(),
            "idle-gaps! small-grid! synchronous-copy! pageable-transfer!");
}

TEST(Recorded, TheNetworkSpendsItsTimeLoadingKernels) {
  const auto found = Recording("net").found();
  EXPECT_NE(found.find("jit-at-start!"), std::string::npos) << found;
  EXPECT_NE(found.find("pageable-transfer!"), std::string::npos) << found;
  EXPECT_NE(found.find("unused-tensor-cores!"), std::string::npos) << found;
}

}  // namespace
}  // namespace apod::inspect
