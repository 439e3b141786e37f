#!/usr/bin/env python3
"""Trains a small convolutional network for some steps, with PyTorch.

    network.py float32   as it comes
    network.py half      under autocast, with channels last: what tensor cores want
"""

import sys

import torch

from marks import marked


def block(inputs, outputs):
    return torch.nn.Sequential(torch.nn.Conv2d(inputs, outputs, 3, padding=1, bias=False),
                               torch.nn.BatchNorm2d(outputs), torch.nn.ReLU())


def main():
    way = sys.argv[1] if len(sys.argv) > 1 else "float32"
    torch.manual_seed(1)
    torch.backends.cudnn.allow_tf32 = False
    network = torch.nn.Sequential(block(64, 128), block(128, 128), torch.nn.AdaptiveAvgPool2d(1),
                                  torch.nn.Flatten(), torch.nn.Linear(128, 10)).cuda()
    images = torch.randn(32, 64, 56, 56)
    labels = torch.randint(0, 10, (32,))
    if way == "half":
        network = network.to(memory_format=torch.channels_last)
        images = images.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    for step in range(6):
        with marked(f"step {step}"):
            with marked("upload"):
                x, y = images.cuda(), labels.cuda()
            with marked("forward"), torch.autocast("cuda", torch.float16, enabled=way == "half"):
                loss = torch.nn.functional.cross_entropy(network(x), y)
            with marked("backward"):
                optimizer.zero_grad()
                loss.backward()
            with marked("update"):
                optimizer.step()
                torch.cuda.synchronize()
    print(f"{way}: loss {loss.item():.3f}")


main()
