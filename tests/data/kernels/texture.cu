// A texture of an array.
__global__ void rotate(float* out, int width, int height, cudaTextureObject_t picture) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<float>(picture, y + 0.5f, x + 0.5f);
}

void run(float* out, cudaTextureObject_t picture) {
  int width = 512, height = 512;
  rotate<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(out, width, height, picture);
}
