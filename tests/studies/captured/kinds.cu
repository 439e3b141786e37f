// Kernels of many kinds, each launched a few times.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
namespace cg = cooperative_groups;
#define CK(x)                          \
  do {                                 \
    auto r_ = (x);                     \
    if (r_) {                          \
      printf("%s: %d\n", #x, (int)r_); \
      exit(1);                         \
    }                                  \
  } while (0)
__constant__ float factors[16];
__device__ int calls;
__device__ float offsets[8];
__global__ void k_constant(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) atomicAdd(&calls, 1);
  if (i < n) y[i] = x[i] * factors[i % 16] + offsets[i % 8];
}
__global__ void k_managed(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] + y[i];
}
__global__ void k_pinned(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 3 * x[i];
}
__global__ void k_coop(float* y, float* t, const float* x, int n) {
  auto grid = cg::this_grid();
  int i = grid.thread_rank(), s = grid.size();
  for (int k = i; k < n; k += s) t[k] = x[k] * x[k];
  grid.sync();
  for (int k = i; k < n; k += s) y[k] = t[n - 1 - k] + x[k];
}
__global__ void k_cluster(float* y, const float* x, int n) {
  auto c = cg::this_cluster();
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  c.sync();
  float* other = c.map_shared_rank(s, c.block_rank() ^ 1);
  float v = other[threadIdx.x];
  c.sync();
  if (i < n) y[i] = v + s[threadIdx.x];
}
struct Work {
  int n;
  float scale;
  float* y;
  const float* x;
};
__global__ void k_struct(Work w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < w.n) w.y[i] = w.scale * w.x[i];
}
__global__ void k_atomic(float* sum, const float* x, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
  atomicAdd(sum + (threadIdx.x & 31), s);
}
__global__ void k_table(float** ys, const float* const* xs, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ys[blockIdx.y][i] = xs[blockIdx.y][i] + 1;
}
__global__ void k_graph(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += 1;
}
__global__ void k_ticket(int* ticket, float* out, const float* x, int n) {
  __shared__ bool last;
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += x[i] > 0 ? 1 : 0;
  atomicAdd(out, s);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(ticket, 1) == (int)gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 0) {
    out[1] = out[0] * 2;
    *ticket = 0;
  }
}
extern "C" __global__ void k_extra(float* y, const float* x, char c, double d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (float)(d * x[i] + c);
}
int main() {
  const int n = 1 << 24;
  float *x, *y, *t, *m, *h;
  int* ticket;
  CK(cudaMalloc(&x, n * 4));
  CK(cudaMalloc(&y, n * 4));
  CK(cudaMalloc(&t, n * 4));
  CK(cudaMallocManaged(&m, n * 4));
  CK(cudaMallocHost(&h, n * 4));
  CK(cudaMalloc(&ticket, 64));
  CK(cudaMemset(ticket, 0, 64));
  CK(cudaMemset(y, 0, n * 4));
  std::vector<float> v(n);
  for (int i = 0; i < n; ++i) {
    v[i] = (float)((i * 2654435761u) >> 8) / 16777216.f - .5f;
    m[i] = v[i];
    h[i] = v[i];
  }
  CK(cudaMemcpy(x, v.data(), n * 4, cudaMemcpyHostToDevice));
  float f[16];
  for (int i = 0; i < 16; ++i) f[i] = i + 1;
  CK(cudaMemcpyToSymbol(factors, f, sizeof f));
  CK(cudaMemcpyToSymbol(offsets, f + 3, 32));
  float *p[4], **ps;
  for (auto& q : p) CK(cudaMalloc(&q, n));
  CK(cudaMalloc(&ps, 64));
  CK(cudaMemcpy(ps, p, 32, cudaMemcpyHostToDevice));
  CK(cudaMemset(p[2], 0, n));
  CK(cudaMemset(p[3], 0, n));
  cudaStream_t s;
  CK(cudaStreamCreate(&s));
  const int b = 256, g = n / b;
  for (int r = 0; r < 10; ++r) {
    k_constant<<<g, b, 0, s>>>(y, x, n);
    k_managed<<<g, b, 0, s>>>(m, x, n);
    k_pinned<<<g / 16, b, 0, s>>>(y, h, n / 16);
    int nn = n;
    void* a[] = {&y, &t, &x, &nn};
    CK(cudaLaunchCooperativeKernel((void*)k_coop, dim3(264), dim3(b), a, 0, s));
    cudaLaunchConfig_t c{};
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim = {2, 1, 1};
    c.gridDim = g;
    c.blockDim = b;
    c.stream = s;
    c.attrs = at;
    c.numAttrs = 1;
    CK(cudaLaunchKernelEx(&c, k_cluster, y, (const float*)x, nn));
    k_struct<<<g, b, 0, s>>>(Work{n, 1.5f + r, y, x});
    k_atomic<<<528, b, 0, s>>>(t, x, n);
    k_table<<<dim3(n / 4 / b, 2), b, 0, s>>>(ps, (const float* const*)ps + 2, n / 4);
    k_ticket<<<264, b, 0, s>>>(ticket, t + 64, x, n);
  }
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  k_graph<<<g, b, 0, s>>>(y, n);
  CK(cudaStreamEndCapture(s, &graph));
  CK(cudaGraphInstantiate(&exec, graph, 0));
  for (int r = 0; r < 5; ++r) CK(cudaGraphLaunch(exec, s));
  CK(cudaStreamSynchronize(s));
  // From a cubin file, with the parameters in a buffer.
  if (getenv("EXTRA_CUBIN")) {
    CUmodule mod;
    CUfunction fn;
    CK(cuModuleLoad(&mod, getenv("EXTRA_CUBIN")));
    CK(cuModuleGetFunction(&fn, mod, "k_extra"));
    char buffer[64] = {};
    char ch = 7;
    double d = 2.5;
    int nn = n;
    memcpy(buffer, &y, 8);
    memcpy(buffer + 8, &x, 8);
    buffer[16] = ch;
    memcpy(buffer + 24, &d, 8);
    memcpy(buffer + 32, &nn, 4);
    size_t size = 36;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    for (int r = 0; r < 5; ++r) CK(cuLaunchKernel(fn, g, 1, 1, b, 1, 1, 0, s, nullptr, extra));
    CK(cudaStreamSynchronize(s));
  }
  printf("ok\n");
}
