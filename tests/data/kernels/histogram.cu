// Memory that begins at zero, and indices in the data.
#include <cstdint>
#include <cstdlib>

extern "C" __global__ void histogram(unsigned int* bins, const uint8_t* values, size_t count) {
  __shared__ unsigned int own[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    atomicAdd(&own[values[i]], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], own[i]);
}

int main(int argc, char** argv) {
  const size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : size_t(1) << 24;
  unsigned int* bins;
  uint8_t* values;
  cudaMalloc((void**)&bins, 256 * sizeof(unsigned int));
  cudaMalloc((void**)&values, count);
  cudaMemset(bins, 0, 256 * sizeof(unsigned int));
  histogram<<<512, 256>>>(bins, values, count);
}
