"""`pytest --rounding N`: PyTorch rounds as on another processor, a different one for every N.

Convolutions, matrix products, reductions and transcendental functions give results that differ by
up to a relative 1e-6, which depends on N, the value and the shape of the result alone: what must
repeat still repeats, bit for bit. Whole numbers stay as they are, for sums of whole numbers are
exact on any processor; so do numpy and the native library.

The processes that tests start get it too: `sitecustomize.py` here is on their PYTHONPATH.
"""

import functools
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

VARIABLE = "FIREBREAK_TEST_ROUNDING"
RELATIVE = 1e-6

ONLY_SMALLER = ("sigmoid", "tanh", "softmax", "sin", "cos", "erf")
"""Functions of results that no processor makes larger than 1."""

FUNCTIONS = (*ONLY_SMALLER, "exp", "expm1", "log", "log1p", "log2", "log10", "log_softmax",
             "logsumexp", "pow", "rsqrt", "sum", "mean", "var", "std", "norm", "cumsum", "prod",
             "matmul", "mm", "bmm", "addmm", "baddbmm", "einsum", "tensordot", "dot", "mv")
"""Of the module torch, and where there is one of the same name, of a tensor."""
OPERATORS = ("__matmul__", "__rmatmul__", "__pow__")
OF_NETWORKS = ("conv1d", "conv2d", "conv3d", "conv_transpose2d", "linear", "bilinear", "softplus",
               "gelu", "silu", "elu", "logsigmoid", "layer_norm", "group_norm", "batch_norm",
               "avg_pool2d", "adaptive_avg_pool2d", "interpolate", "smooth_l1_loss", "huber_loss",
               "mse_loss", "l1_loss", "cross_entropy", "binary_cross_entropy",
               "binary_cross_entropy_with_logits")
"""Of torch.nn.functional."""


def rounded(result: Any, number: int, only_smaller: bool = False) -> Any:
    """`result`, a tensor, as the processor `number` rounds it; anything else unchanged."""
    import torch

    bits_of = {torch.float32: torch.int32, torch.float64: torch.int64}
    if not isinstance(result, torch.Tensor) or result.dtype not in bits_of or not result.numel():
        return result
    with torch.no_grad():
        values = result.detach()
        seed = number
        for length in values.shape:
            seed = (seed * 1_000_003 + length + 1) % 2**31
        bits = values.contiguous().view(bits_of[values.dtype]) ^ seed
        bits = bits * 0x2C1B3C6D
        bits = (bits ^ (bits >> 15)) * 0x297A2D39
        pattern = ((bits >> 8) & 0xFFFF).to(values.dtype) / 0x8000 - 1
        if only_smaller:
            pattern = -pattern.abs()
        whole = (values == values.round()) & (values.abs() < 2**23)
        factor = torch.where(whole, torch.ones_like(values), 1 + RELATIVE * pattern)
    return result * factor


def wrapped(function: Callable[..., Any], number: int, only_smaller: bool) -> Callable[..., Any]:
    @functools.wraps(function)
    def other(*args: Any, **options: Any) -> Any:
        if options.get("out") is not None:
            return function(*args, **options)
        return rounded(function(*args, **options), number, only_smaller)

    return other


def change(torch: ModuleType, number: int) -> None:
    """Let the functions of `torch` round as the processor `number` does."""
    owners = ((torch, FUNCTIONS), (torch.Tensor, FUNCTIONS + OPERATORS),
              (torch.nn.functional, (*OF_NETWORKS, "softmax", "log_softmax")))
    for owner, names in owners:
        for name in names:
            function = getattr(owner, name, None)
            if function is not None:
                setattr(owner, name, wrapped(function, number, name in ONLY_SMALLER))


class _Changing:
    """Finds torch as usual, and changes it as soon as it is imported."""

    def __init__(self, number: int) -> None:
        self.number = number

    def find_spec(self, name: str, path: object = None,
                  target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            change(module, self.number)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def begin(number: int) -> None:
    """Let torch round as the processor `number` does, here and in processes started from here."""
    here = str(Path(__file__).resolve().parent)
    others = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep)
              if part and part != here]
    os.environ["PYTHONPATH"] = os.pathsep.join([here, *others])
    os.environ[VARIABLE] = str(number)
    if any(isinstance(finder, _Changing) or type(finder).__name__ == "_Changing"
           for finder in sys.meta_path):
        return  # by sitecustomize
    if "torch" in sys.modules:
        if not hasattr(sys.modules["torch"].exp, "__wrapped__"):
            change(sys.modules["torch"], number)
    else:
        sys.meta_path.insert(0, _Changing(number))  # type: ignore[arg-type]
