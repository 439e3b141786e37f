// A program with a reference, a wrapper and a launch in a loop.
#include <cmath>
#include <cstdio>
#include <vector>

#define CHECK(call)                                   \
  do {                                                \
    const cudaError_t error = (call);                 \
    if (error != cudaSuccess) {                       \
      std::printf("%s\n", cudaGetErrorString(error)); \
      return 1;                                       \
    }                                                 \
  } while (0)

void softmax_on_host(std::vector<float>& rows, int count, int length) {
  for (int r = 0; r < count; ++r) {
    float sum = 0;
    for (int c = 0; c < length; ++c) sum += std::exp(rows[r * length + c]);
    for (int c = 0; c < length; ++c) rows[r * length + c] /= sum;
  }
}

__global__ void softmax(float* out, const float* in, int length) {
  extern __shared__ float shared[];
  const float* row = in + blockIdx.x * length;
  float sum = 0;
  for (int c = threadIdx.x; c < length; c += blockDim.x) sum += expf(row[c]);
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  for (int c = threadIdx.x; c < length; c += blockDim.x) {
    out[blockIdx.x * length + c] = expf(row[c]) / shared[0];
  }
}

void launch(float* out, const float* in, int count, int length, int threads) {
  softmax<<<count, threads, threads * sizeof(float)>>>(out, in, length);
}

int main() {
  const int count = 4096;
  const int length = 1000;
  float *in, *out;
  CHECK(cudaMalloc(&in, count * length * sizeof(float)));
  CHECK(cudaMalloc(&out, count * length * sizeof(float)));
  for (int i = 0; i < 10; ++i) launch(out, in, count, length, 128);
  CHECK(cudaDeviceSynchronize());
}
