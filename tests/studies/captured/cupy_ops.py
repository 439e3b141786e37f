"""A fused expression and a sum, in CuPy."""
import cupy


@cupy.fuse()
def hypotenuse(x, y):
    return cupy.sqrt(x * x + y * y)


x = cupy.random.random((8192, 4096), dtype=cupy.float32)
y = cupy.random.random((8192, 4096), dtype=cupy.float32)
for i in range(12):
    hypotenuse(x, y * (1 + i))
    (x * (1 + i)).sum(axis=0)
cupy.cuda.Device().synchronize()
