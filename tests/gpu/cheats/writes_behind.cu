// Does its work, and writes behind its array.
__global__ void cheat(float* y, const float* x, float* s, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 3 * x[i];
  if (i == n - 1) y[n] = 1;
}
