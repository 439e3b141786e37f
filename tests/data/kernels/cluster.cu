// Clusters, asked for by the launch.
#include <cooperative_groups.h>

__global__ void reduce(float* sums, const float* values, int per_block) {
  __shared__ float own;
  auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) {
    own = 0;
    for (int i = 0; i < per_block; ++i) own += values[blockIdx.x * per_block + i];
  }
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    float sum = 0;
    for (unsigned b = 0; b < cluster.num_blocks(); ++b) sum += *cluster.map_shared_rank(&own, b);
    sums[blockIdx.x / cluster.num_blocks()] = sum;
  }
  cluster.sync();
}

void run(float* sums, const float* values, int per_block) {
  const int blocks = 256;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(64);
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = 4;
  attribute[0].val.clusterDim.y = 1;
  attribute[0].val.clusterDim.z = 1;
  config.attrs = attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, reduce, sums, values, per_block);
}
