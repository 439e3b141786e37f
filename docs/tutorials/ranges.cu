// Two threads with names of their own, each with a stream and ranges of NVTX around what it does.
//
//     nvcc -O2 -std=c++17 -o ranges ranges.cu -ldl -lpthread && ./ranges

#include <nvtx3/nvToolsExt.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

struct Range {
  explicit Range(const std::string& name) { nvtxRangePushA(name.c_str()); }
  ~Range() { nvtxRangePop(); }
};

__global__ void scale(float* values, int count, float factor) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) values[at] *= factor;
}

void work(int number) {
  nvtxNameOsThreadA(static_cast<unsigned>(syscall(SYS_gettid)),
                    ("worker " + std::to_string(number)).c_str());
  const Range whole("worker " + std::to_string(number));
  const int count = 1 << 22;
  std::vector<float> host(count, 1.0F);  // pageable, as most programs have it
  float* device = nullptr;
  cudaStream_t stream;
  cudaMalloc(&device, count * sizeof(float));
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int step = 0; step < 8; ++step) {
    const Range one("step");
    {
      const Range upload("upload");
      cudaMemcpyAsync(device, host.data(), count * sizeof(float), cudaMemcpyHostToDevice, stream);
    }
    {
      const Range compute("compute");
      for (int i = 0; i < 10; ++i) scale<<<count / 256, 256, 0, stream>>>(device, count, 1.01F);
    }
    cudaStreamSynchronize(stream);  // each step waits for the one before
  }
  cudaMemcpy(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("worker %d: %.3f\n", number, host[0]);
  cudaFree(device);
  cudaStreamDestroy(stream);
}

int main() {
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
}
