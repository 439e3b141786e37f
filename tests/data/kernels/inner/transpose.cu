// Two kernels, a header in another folder, and a pointer to the one that is launched.
#include "sides.cuh"

__global__ void copy(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * SIDE + threadIdx.x;
  const int y = blockIdx.y * SIDE + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = in[y * width + x];
}

__global__ void transpose(float* out, const float* in, int width, int height) {
  __shared__ float tile[SIDE][SIDE + 1];
  int x = blockIdx.x * SIDE + threadIdx.x;
  int y = blockIdx.y * SIDE + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * SIDE + threadIdx.x;
  y = blockIdx.x * SIDE + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  const int width = 1024, height = 768;
  float *in, *out;
  cudaMalloc(&in, width * height * sizeof(float));
  cudaMalloc(&out, width * height * sizeof(float));
  void (*kernel)(float*, const float*, int, int) = nullptr;
  for (int i = 0; i < 100; ++i) {
    kernel = &transpose;
    kernel<<<dim3(width / SIDE, height / SIDE), dim3(SIDE, SIDE)>>>(out, in, width, height);
  }
  copy<<<dim3(width / SIDE, height / SIDE), dim3(SIDE, SIDE)>>>(out, in, width, height);
}
