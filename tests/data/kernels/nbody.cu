// Vectors in arrays, and a struct by value.
struct Step {
  float4* positions;
  float4* velocities;
  int count;
  float seconds;
  float softening;
};

__global__ void move(Step step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= step.count) return;
  const float4 own = step.positions[i];
  float3 pull = {0, 0, 0};
  for (int j = 0; j < step.count; ++j) {
    const float4 other = step.positions[j];
    const float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
    const float near = rsqrtf(x * x + y * y + z * z + step.softening);
    const float force = other.w * near * near * near;
    pull.x += x * force;
    pull.y += y * force;
    pull.z += z * force;
  }
  float4 velocity = step.velocities[i];
  velocity.x += pull.x * step.seconds;
  velocity.y += pull.y * step.seconds;
  velocity.z += pull.z * step.seconds;
  step.velocities[i] = velocity;
}

int main() {
  const int bodies = 8192;
  Step step;
  cudaMalloc(&step.positions, bodies * sizeof(float4));
  cudaMalloc(&step.velocities, bodies * sizeof(float4));
  step.count = bodies;
  step.seconds = 0.01f;
  step.softening = 1e-3f;
  move<<<(bodies + 127) / 128, 128>>>(step);
}
