"""Generates tokens one at a time with a small transformer and its cache: a hundred short kernels for each."""

import torch
import torch.nn as nn
from torch.nn import functional as F
from ways import main

WIDTH, HEADS, LAYERS, LENGTH, WORDS = 512, 8, 8, 256, 8192


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.behind = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, HEADS, LENGTH, WIDTH // HEADS))

    def forward(self, x, at, seen):
        q, k, v = self.qkv(self.before(x)).view(1, 1, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        self.keys.index_copy_(2, at, k)
        self.values.index_copy_(2, at, v)
        a = F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=seen)
        x = x + self.out(a.transpose(1, 2).reshape(1, 1, WIDTH))
        return x + self.down(F.gelu(self.up(self.behind(x))))


@torch.no_grad()
def make(way):
    words = nn.Embedding(WORDS, WIDTH).cuda().half()
    layers = nn.ModuleList(Layer() for _ in range(LAYERS)).cuda().half()
    head = nn.Linear(WIDTH, WORDS).cuda().half()
    word = torch.zeros(1, 1, dtype=torch.long, device="cuda")
    at = torch.zeros(1, dtype=torch.long, device="cuda")
    places = torch.arange(LENGTH, device="cuda").view(1, 1, 1, LENGTH)

    @torch.no_grad()
    def token():
        x = words(word)
        seen = places <= at
        for layer in layers:
            x = layer(x, at, seen)
        word.copy_(head(x).argmax(-1))
        at.add_(1).remainder_(LENGTH)

    if way != "graph":
        return lambda _: token()
    beside = torch.cuda.Stream()
    with torch.cuda.stream(beside):
        token()
    torch.cuda.current_stream().wait_stream(beside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        token()
    return lambda _: graph.replay()


if __name__ == "__main__":
    main(make, ["base", "graph"])
