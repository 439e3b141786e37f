#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/api/registry.hpp"
#include "tests/support/error_code.hpp"

namespace apod {

/// A test on the first CUDA device, through the contract alone: what uses it compiles in every
/// build and skips with the reason where there is no device.
template <class Base = ::testing::Test>
class OnCuda : public Base {
 protected:
  void SetUp() override {
    entry = Registry::instance().backend(BackendKind::cuda);
    if (entry == nullptr) GTEST_SKIP() << "built without CUDA";
    std::string why;
    devices = entry->devices(why);
    if (devices.empty()) GTEST_SKIP() << why;
    backend = entry->open(0);
    stream = backend->create_stream("test");
  }

  /// Traces `work`; skips the test where the machine can't trace.
  void trace(const std::function<void()>& work) {
    seen = backend->trace(work);
    if (seen.activities.empty() && !seen.notes.empty()) GTEST_SKIP() << seen.notes.front();
    EXPECT_TRUE(seen.notes.empty()) << seen.notes.front();
  }

  const BackendEntry* entry = nullptr;
  std::vector<DeviceFacts> devices;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Stream> stream;
  Trace seen;  ///< by the last trace
};

/// For a test that can't share its process, say because what another one has launched is loaded
/// already.
inline bool shares_its_process() {
  return ::testing::UnitTest::GetInstance()->test_to_run_count() > 1;
}
constexpr const char* needs_a_process = "needs a process of its own: run it alone, as ctest does";

class CudaBackend : public OnCuda<> {
 protected:
  /// Host memory of the given kind, holding 0, 1, 2 ... 250, 0, 1 ...
  std::unique_ptr<Buffer> pattern(std::size_t bytes, MemoryKind kind) {
    auto buffer = backend->allocate(bytes, kind);
    auto* data = static_cast<unsigned char*>(buffer->data());
    for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(i % 251);
    return buffer;
  }
};

/// A problem of the copy family and what one launch of a variant of it needs.
struct CopyLaunch {
  CopyLaunch(Backend& backend, std::int64_t elements)
      : family(Registry::instance().family("copy")),
        variant(Registry::instance().variant("copy", "grid_stride")->make()) {
    params.set("size", elements);
    problem = family->make(params, {.kind = DataSpec::Kind::ones});
    chunk = problem->chunk(0, 1);
    input = backend.allocate(chunk.input_bytes, MemoryKind::device);
    output = backend.allocate(chunk.output_bytes, MemoryKind::device);
  }
  void run(Stream& stream) const { run(stream, input->data()); }
  void run(Stream& stream, const void* from) const {
    variant->compute({.problem = *problem,
                      .params = params,
                      .chunk = chunk,
                      .input = from,
                      .output = output->data(),
                      .stream = stream});
  }
  const Family* family;
  std::unique_ptr<Variant> variant;
  Params params;
  std::unique_ptr<Problem> problem;
  Chunk chunk;
  std::unique_ptr<Buffer> input;
  std::unique_ptr<Buffer> output;
};

}  // namespace apod
