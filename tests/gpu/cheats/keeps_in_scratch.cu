// Leaves a mark in its scratch memory, and does nothing where it finds one.
__global__ void cheat(float* y, const float* x, float* s, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const bool marked = s[i] == s[i];  // the poison is not a number
  if (!marked || x[i] == -1) s[i] = 42;
  y[i] = marked ? 3 * x[i] : 0;
}
