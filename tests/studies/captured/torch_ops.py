"""Kernels of PyTorch, cuBLAS and cuDNN, each launched some times. `torch_ops.py NAME` does one operation."""
import sys

import torch

torch.manual_seed(0)
x = torch.randn(4096, 4096, device="cuda")
half, narrow = x.half(), x.bfloat16()
rows = torch.randint(0, 4096, (16384,), device="cuda")
ROUNDS = 12


def conv(scale):
    if not hasattr(conv, "layer"):
        conv.layer = torch.nn.Conv2d(64, 128, 3, padding=1).cuda()
        conv.image = torch.randn(32, 64, 56, 56, device="cuda")
    return conv.layer(conv.image * scale)


def attention(scale):
    q = (narrow * scale).view(4, 16, 1024, 256)[..., :64].contiguous()
    return torch.nn.functional.scaled_dot_product_attention(q, q, q)


def attention_backward(scale):
    q = (narrow * scale).view(4, 16, 1024, 256)[..., :64].contiguous().requires_grad_()
    torch.nn.functional.scaled_dot_product_attention(q, q, q).float().pow(2).sum().backward()


OPERATIONS = {
    "gelu": lambda scale: torch.nn.functional.gelu(x * scale),
    "softmax": lambda scale: torch.softmax(x * scale, 1),
    "layer_norm": lambda scale: torch.nn.functional.layer_norm(narrow * scale, (4096,)),
    "sum": lambda scale: (x * scale).sum(0),
    "cumsum": lambda scale: torch.cumsum(x * scale, 1),
    "index": lambda scale: (x * scale)[rows],
    "index_add": lambda scale: torch.zeros(512, 4096, device="cuda").index_add_(0, rows % 512, (x * scale)[rows]),
    "sort": lambda scale: torch.sort((x * scale).view(-1)),
    "matmul": lambda scale: half @ (half * scale),
    "conv": conv,
    "attention": attention,
    "attention_backward": attention_backward,
}

for i in range(ROUNDS):
    OPERATIONS[sys.argv[1]](1 + i)
torch.cuda.synchronize()
