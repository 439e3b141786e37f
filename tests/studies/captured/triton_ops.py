"""A normalisation of rows by their root mean square, in Triton."""
import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm(out, values, weights, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.load(values + row * columns + at, mask=inside, other=0.0)
    scale = tl.rsqrt(tl.sum(value * value, 0) / columns + 1e-6) if hasattr(tl, "rsqrt") else \
        1.0 / tl.sqrt(tl.sum(value * value, 0) / columns + 1e-6)
    tl.store(out + row * columns + at, value * scale * tl.load(weights + at, mask=inside), mask=inside)


x = torch.randn(16384, 2048, device="cuda")
w = torch.randn(2048, device="cuda")
y = torch.empty_like(x)
for _ in range(20):
    rms_norm[(16384,)](y, x, w, 2048, BLOCK=2048)
torch.cuda.synchronize()
