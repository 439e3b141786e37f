/// Lines of the L2 that were made persistent must not outlive a flush.

#include "tests/gpu/cuda_backend.hpp"

#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>

namespace apod {
namespace {

using CudaPersistence = OnCuda<>;

TEST_F(CudaPersistence, EndsWithAFlush) {
  cudaDeviceProp device{};
  ASSERT_EQ(cudaGetDeviceProperties(&device, 0), cudaSuccess);
  if (device.persistingL2CacheMaxSize <= 0) GTEST_SKIP() << "no part of its L2 can be set aside";
  constexpr std::size_t bytes = 8 << 20;
  if (static_cast<std::size_t>(device.persistingL2CacheMaxSize) < bytes) {
    GTEST_SKIP() << "less than 8 MiB can be set aside";
  }
  CopyLaunch copy(*backend, bytes / sizeof(float));
  ASSERT_EQ(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes), cudaSuccess);
  cudaStreamAttrValue window{};
  window.accessPolicyWindow.base_ptr = copy.input->data();
  window.accessPolicyWindow.num_bytes = bytes;
  window.accessPolicyWindow.hitRatio = 1;
  window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  const auto native = reinterpret_cast<cudaStream_t>(stream->handle());
  ASSERT_EQ(cudaStreamSetAttribute(native, cudaStreamAttributeAccessPolicyWindow, &window),
            cudaSuccess);
  const auto read_after = [&](CacheMode mode) {
    const auto counted = backend->count(
        {},
        [&] {
          copy.run(*stream);  // its input is persistent from here on
          stream->synchronize();
          const auto other = backend->create_stream("flush");
          if (mode != CacheMode::hot) backend->end_persistence();
          backend->flush_cache(*other, mode);
          other->synchronize();
        },
        [&] { copy.run(*stream); });
    return counted.launches.empty() ? -1 : counted.launches[0].values.at("dram_bytes_read");
  };
  const double hot = read_after(CacheMode::hot);
  if (hot < 0) GTEST_SKIP() << "nothing can be counted here";
  EXPECT_LT(hot, 0.2 * bytes);
  EXPECT_GT(read_after(CacheMode::cold), 0.95 * bytes);
  ASSERT_EQ(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0), cudaSuccess);
}

}  // namespace
}  // namespace apod
#endif
