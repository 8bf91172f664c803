"""`pytest --rounding N` stands for another processor: results differ, and repeat."""

import os
import subprocess
import sys
from pathlib import Path

import torch

from rounding import RELATIVE, VARIABLE, rounded

VALUES = torch.rand(3, 50, generator=torch.Generator().manual_seed(0)) + 0.1


def test_results_change_by_little_and_repeat() -> None:
    changed = rounded(VALUES, 1)
    assert torch.equal(changed, rounded(VALUES.clone(), 1))
    assert not torch.equal(changed, rounded(VALUES, 2))
    apart = (changed - VALUES).abs() / VALUES
    assert apart.max() <= 1.2 * RELATIVE  # the last bit of float32 is 1.2e-7
    assert (apart > 0).float().mean() > 0.8


def test_one_row_alone_rounds_otherwise_than_among_others() -> None:
    assert not torch.equal(rounded(VALUES, 1)[:1], rounded(VALUES[:1], 1))


def test_whole_numbers_and_other_types_stay() -> None:
    counts = torch.arange(7, dtype=torch.float32)
    assert torch.equal(rounded(counts, 1), counts)
    assert rounded("text", 1) == "text"
    assert torch.equal(rounded(counts.long(), 1), counts.long())


def test_bounded_functions_keep_their_bound() -> None:
    near = torch.full((50,), 1 - 2**-24)
    assert (rounded(near, 1, only_smaller=True) <= near).all()


def test_gradients_pass() -> None:
    values = VALUES.clone().requires_grad_()
    rounded(values, 1).sum().backward()
    torch.testing.assert_close(values.grad, torch.ones_like(values), rtol=0, atol=2 * RELATIVE)


def test_processes_of_a_test_get_it() -> None:
    def result(**surroundings: str) -> str:
        code = "import torch; print(torch.arange(1., 9).mul(.1).exp().sum().item())"
        return subprocess.run([sys.executable, "-c", code], env=os.environ | surroundings,
                              capture_output=True, text=True, check=True).stdout

    paths = os.pathsep.join([str(Path(__file__).resolve().parents[1] / "rounding"),
                             os.environ.get("PYTHONPATH", "")])
    plain, *changed = (result(**{"PYTHONPATH": paths, VARIABLE: number})
                       for number in ("", "1", "2"))
    assert len({plain, *changed}) == 3
