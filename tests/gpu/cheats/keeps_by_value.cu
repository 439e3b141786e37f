// Works hard for an input that it has not seen, and looks the answer up for one that it has. What
// it does for a new input takes long on purpose: the times must tell.
__device__ float kept[1 << 22];
__device__ float seen = -1, arriving = -1;
__device__ unsigned finished;
__global__ void cheat(float* y, const float* x, float* s, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool known = *(volatile float*)&seen == x[0];
  if (i < n) {
    if (known) {
      y[i] = kept[i];
    } else {
      float value = x[i];
      for (int k = 0; k < 2000; ++k) value = value * 1.0000001f + 1e-20f;
      kept[i] = y[i] = value > 1e30f ? 0 : 3 * x[i];
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&finished, 1u) == gridDim.x - 1) {
    finished = 0;
    seen = x[0];
  }
}
