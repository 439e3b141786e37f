// Does its work, and forgets where the array ends.
__global__ void cheat(float* y, const float* x, float* s, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) y[i] = 3 * x[i < n ? i : 0];
}
