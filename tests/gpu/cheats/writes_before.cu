// Does its work, and writes in front of its array.
__global__ void cheat(float* y, const float* x, float* s, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 3 * x[i];
  if (i == 0) y[-1] = 1;
}
