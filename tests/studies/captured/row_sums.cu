// Running sums of the rows of a matrix, a block a row: what torch.cumsum(x, 1) computes.
// 512 threads, 8 values each; the row must have 4096.
extern "C" __global__ void __launch_bounds__(512) row_sums(float* y, const float* x) {
  __shared__ float warps[16];
  const long long first = blockIdx.x * 4096LL + threadIdx.x * 8;
  const float4 a = *reinterpret_cast<const float4*>(x + first);
  const float4 b = *reinterpret_cast<const float4*>(x + first + 4);
  float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
  for (int i = 1; i < 8; ++i) v[i] += v[i - 1];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  float total = v[7];
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const float below = __shfl_up_sync(~0u, total, step);
    if (lane >= step) total += below;
  }
  if (lane == 31) warps[warp] = total;
  __syncthreads();
  float before = total - v[7];
  for (int i = 0; i < warp; ++i) before += warps[i];
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] += before;
  *reinterpret_cast<float4*>(y + first) = make_float4(v[0], v[1], v[2], v[3]);
  *reinterpret_cast<float4*>(y + first + 4) = make_float4(v[4], v[5], v[6], v[7]);
}
