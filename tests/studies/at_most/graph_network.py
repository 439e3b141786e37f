"""Trains a network on a graph: features come from pageable memory, and each step reads its loss."""

import torch
import torch.nn as nn
from ways import main

NODES, EDGES, WIDTH = 40_000, 200_000, 128


class Messages(nn.Module):
    def __init__(self):
        super().__init__()
        self.own, self.other = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x, source, target):
        received = torch.zeros_like(x).index_add_(0, target, self.other(x)[source])
        return torch.relu(self.own(x) + received)


def make(way):
    torch.manual_seed(1)
    layers = nn.ModuleList(Messages() for _ in range(3)).cuda()
    optimizer = torch.optim.AdamW(layers.parameters(), fused=True)
    source, target = torch.randint(NODES, (2, EDGES), device="cuda")
    features = [torch.randn(NODES, WIDTH) for _ in range(4)]
    if way == "pinned":
        features = [one.pin_memory() for one in features]

    def step(i):
        x = features[i % len(features)].to("cuda", non_blocking=way == "pinned")
        optimizer.zero_grad()
        for layer in layers:
            x = layer(x, source, target)
        loss = x.square().mean()
        loss.backward()
        optimizer.step()
        if way != "unread":
            loss.item()

    return step


if __name__ == "__main__":
    main(make, ["base", "pinned", "unread"])
