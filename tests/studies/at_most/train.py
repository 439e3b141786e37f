"""Trains a small residual network: data from a loader with two workers, in pageable memory, and an optimizer that
works tensor by tensor."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset
from ways import STEPS, main

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False


class Noise(Dataset):
    def __len__(self):
        return 16 * (STEPS + 1)

    def __getitem__(self, i):
        return torch.randn(3, 160, 160), i % 10


class Block(nn.Module):
    def __init__(self, width, stride):
        super().__init__()
        self.a = nn.Conv2d(width // stride, width, 3, stride, 1, bias=False)
        self.b = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.c = nn.Conv2d(width // stride, width, 1, stride, bias=False)
        self.m, self.n = nn.BatchNorm2d(width), nn.BatchNorm2d(width)

    def forward(self, x):
        return torch.relu(self.n(self.b(torch.relu(self.m(self.a(x))))) + self.c(x))


def make(way):
    blocks = [Block(width, stride) for width in (64, 128, 256, 512) for stride in ((1, 1) if width == 64 else (2, 1))]
    model = nn.Sequential(nn.Conv2d(3, 64, 7, 4, 3), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                          nn.Linear(512, 10)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), foreach=way == "foreach")
    more = {"num_workers": 8, "prefetch_factor": 4} if way == "loaders" else {"num_workers": 2}
    batches = iter(DataLoader(Noise(), batch_size=16, pin_memory=way == "pinned", **more))

    def step(_):
        x, y = (part.cuda(non_blocking=way == "pinned") for part in next(batches))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()

    return step


if __name__ == "__main__":
    main(make, ["base", "foreach", "pinned", "loaders"])
