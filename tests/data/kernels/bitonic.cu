// A loop of launches.
__global__ void exchange(float* data, int n, int j, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int other = i ^ j;
  if (i >= n || other <= i) return;
  const bool up = (i & k) == 0;
  const float a = data[i], b = data[other];
  if ((a > b) == up) {
    data[i] = b;
    data[other] = a;
  }
}

void sort(float* host) {
  const int n = 1 << 16;
  float* data;
  cudaMalloc(&data, n * sizeof(float));
  cudaMemcpy(data, host, n * sizeof(float), cudaMemcpyHostToDevice);
  for (int k = 2; k <= n; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) exchange<<<n / 256, 256>>>(data, n, j, k);
  }
}
