// The quickest kernel of all.
__global__ void cheat(float* y, const float* x, float* s, int n) {}
