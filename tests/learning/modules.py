"""Modules of torch as a user writes them, for tests."""

import torch
from torch import nn


class PolicyModule(nn.Module):
    """For AlphaZero, with normalisation, dropout and layers for one size of board."""

    def __init__(self, planes, spec, width=8):
        super().__init__()
        self.stem = nn.Conv2d(planes, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)
        self.policy = nn.Conv2d(width, 1, 1)
        self.drop = nn.Dropout(0.1)
        self.value = nn.Linear(width * spec.cells, 1)

    def forward(self, planes):
        cells = torch.relu(self.norm(self.stem(planes)))
        return self.policy(cells)[:, 0], torch.tanh(self.value(self.drop(cells.view(len(cells), -1))))[:, 0]


class ValueModule(nn.Module):
    """For deep Q-learning."""

    def __init__(self, spec):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Flatten(), nn.Linear(spec.cells, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 1)
        )

    def forward(self, boards):
        return self.layers(boards)
