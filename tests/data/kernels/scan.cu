// A cooperative launch by the runtime's function.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

namespace prefix {
__global__ void scan(int* data, int* sums, int per_block) {
  auto grid = cg::this_grid();
  int* own = data + blockIdx.x * per_block;
  if (threadIdx.x == 0) {
    for (int i = 1; i < per_block; ++i) own[i] += own[i - 1];
    sums[blockIdx.x] = own[per_block - 1];
  }
  grid.sync();
  int before = 0;
  for (int b = 0; b < blockIdx.x; ++b) before += sums[b];
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) own[i] += before;
}
}  // namespace prefix

void run(int* host) {
  int per_block = 1024, blocks = 64;
  int *data, *sums;
  cudaMalloc(&data, blocks * per_block * sizeof *data);
  cudaMalloc(&sums, blocks * sizeof(sums[0]));
  cudaMemcpy(data, host, blocks * per_block * sizeof(int), cudaMemcpyHostToDevice);
  void* arguments[] = {&data, &sums, &per_block};
  cudaLaunchCooperativeKernel((void*)prefix::scan, dim3(blocks), dim3(256), arguments, 0, 0);
}
