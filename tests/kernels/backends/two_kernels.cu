// Compiled twice, with two values of FACTOR, for the test that reads real machine code.

namespace {
__device__ float table[64];
}

__global__ void scale(float* values) {
  values[threadIdx.x] = FACTOR * values[threadIdx.x] + table[threadIdx.x];
}

__global__ void copy(float* target, const float* source) {
  target[threadIdx.x] = source[threadIdx.x];
}
