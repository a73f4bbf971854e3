"""The network of a net file as an evaluator."""

from __future__ import annotations

import numpy as np

from inarow.errors import NetError, one_line
from inarow.learning.net_file import Net
from inarow.search.tree.evaluation import Evaluate, check_shapes


def net_evaluator(net: Net) -> Evaluate:
    """An evaluator that runs a net; it raises NetError if that fails or the net answers in other shapes."""

    def evaluate(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        try:
            logits, values = net.run(planes)
        except Exception as error:  # ONNX Runtime has its own errors, all directly under Exception
            raise NetError(f"the net cannot be run as alphazero nets are: {one_line(error)}") from None
        check_shapes(planes, logits, values)
        return logits, values

    return evaluate
