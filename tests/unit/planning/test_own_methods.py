"""Planning methods of the user's: functions that are handed in, and those of installed packages."""

import itertools
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firebreak import InputError, MethodProblem, evaluate, plan
from firebreak.planning.methods import METHODS, with_function

LAND: dict[str, Any] = {"landscape": "synthetic:1:12", "test_fires": 0, "plan_fires": 16,
                        "quiet": True}


def cheapest_cells(problem: MethodProblem) -> np.ndarray:
    """Treatable cells in order of their number, as many as the budget buys."""
    free = np.flatnonzero(problem.landscape.treatable)
    return free[np.cumsum(problem.landscape.cost.ravel()[free]) <= problem.budget]


@pytest.fixture(autouse=True)
def _methods_as_before() -> Iterator[None]:
    before = dict(METHODS)
    yield
    METHODS.clear()
    METHODS.update(before)


def made_by(answer: Callable[[MethodProblem], Any], **more: Any) -> Any:
    def own(problem: MethodProblem) -> Any:
        return answer(problem)

    return plan(**LAND, method=own, **more)


def test_a_function_plans_under_its_own_name_and_keeps_its_order() -> None:
    made = plan(**LAND, method=backwards)
    assert made.plan.method == "backwards"
    assert made.plan.cells.tolist() == sorted(made.plan.cells.tolist(), reverse=True)


def backwards(problem: MethodProblem) -> np.ndarray:
    return cheapest_cells(problem)[::-1]


def test_a_mask_cells_and_lines_are_the_same_plan() -> None:
    def mask(problem: MethodProblem) -> np.ndarray:
        found = np.zeros(problem.landscape.shape, bool)
        found.ravel()[cheapest_cells(problem)] = True
        return found

    answers = (mask, cheapest_cells, lambda problem: cheapest_cells(problem).tolist(),
               lambda problem: np.array_split(cheapest_cells(problem), 2))
    cells = [made_by(answer).plan.cells.tolist() for answer in answers]
    assert len(cells[0]) > 2
    assert cells[1:] == cells[:1] * 3


@pytest.mark.parametrize(("answer", "expected", "given"), [
    (lambda _: None, "a mask of truth values, 12 x 12", "got NoneType"),
    (lambda _: np.zeros((3, 4), bool), "a mask of truth values, 12 x 12", r"shape \(3, 4\)"),
    (lambda _: np.zeros((12, 12)), "or a list of cells", "float64"),
    (lambda _: np.zeros((12, 12), int), "or a list of cells", "a mask of int64"),
    (lambda problem: itertools.repeat(cheapest_cells(problem)[0]), "each cell once", "twice"),
    (lambda _: "north", "or a list of cells", "<U1"),
    (lambda _: [0.5], "or a list of cells", "float64"),
    (lambda _: [[[1]], [[2]]], "or a list of cells", r"shape \(1, 1\)"),
    (lambda _: [12 * 12], "or a list of cells", "cell 144"),
    (lambda _: [-1], "or a list of cells", "cell -1"),
    (lambda problem: cheapest_cells(problem)[[0, 0]], "each cell once", "twice"),
    (lambda problem: problem.landscape.treatable, "a cost of at most", "got"),
    (lambda problem: np.flatnonzero(~problem.landscape.treatable)[:1], "treatable cells only", "")])
def test_what_is_no_plan_is_refused_in_a_sentence(answer: Callable[[MethodProblem], Any],
                                                  expected: str, given: str) -> None:
    with pytest.raises(InputError, match=f"'own'.*{expected}.*{given}"):
        made_by(answer)


def test_cells_are_no_mask_to_burn() -> None:
    with pytest.raises(InputError, match=r"problem.burn: expected a mask of shape \(12, 12\)"):
        made_by(lambda problem: problem.burn(np.arange(12)))


def test_an_error_of_the_function_is_its_own() -> None:
    with pytest.raises(ZeroDivisionError):
        made_by(lambda problem: 1 / 0)


def test_names_of_other_methods_and_none_are_refused() -> None:
    for name in ("dqn", "auto", "existing", "<lambda>"):
        def own(problem: MethodProblem) -> list[int]:
            return []

        own.__name__ = name
        with pytest.raises(InputError, match="expected a function"):
            plan(**LAND, method=own)
    with pytest.raises(InputError, match="the function 'cheapest_cells'"):
        plan(**LAND, method=cheapest_cells, window_cells=16)


def test_a_function_of_the_same_name_takes_the_place_of_the_first() -> None:
    assert not made_by(lambda problem: []).plan.cells.size
    assert made_by(cheapest_cells).plan.cells.size


def test_the_function_sees_what_it_burns_with_what_stands() -> None:
    seen: list[MethodProblem] = []

    def watched(problem: MethodProblem) -> np.ndarray:
        seen.append(problem)
        mask = np.zeros(problem.landscape.shape, bool)
        losses = problem.burn().loss
        mask.ravel()[cheapest_cells(problem)] = True
        assert problem.burn(mask).loss.sum() < losses.sum()
        return mask

    must = np.zeros((12, 12), bool)
    must.ravel()[plan(**LAND, method=cheapest_cells).plan.cells[:2]] = True
    made = plan(**LAND, method=watched, must_include=must)
    assert made.breaks[must].all()
    assert (seen[0].standing == must).all()
    assert not seen[0].landscape.treatable[must].any()
    assert seen[0].burns == 2 == made.plan.simulations


def test_functions_stand_in_tables_beside_methods() -> None:
    found = evaluate("synthetic:1:12", methods=["none", cheapest_cells], test_fires=40,
                     plan_fires=16, quiet=True)
    assert [*found.methods] == ["none", "cheapest_cells"]
    made = plan("synthetic:1:12", method=cheapest_cells, test_fires=40, plan_fires=16, quiet=True)
    assert "cheapest_cells - random" in made.comparison.paired
    assert "backwards" in made.compare(backwards).methods


def test_a_saved_plan_says_that_its_method_is_a_function(tmp_path: Path) -> None:
    plan("synthetic:1:12", method=cheapest_cells, test_fires=40, plan_fires=16,
         quiet=True).save(tmp_path)
    assert "cheapest_cells is a function of Python" in (tmp_path / "report.html").read_text()


PLUGIN = '''
def first_cells(problem):
    import numpy as np
    free = np.flatnonzero(problem.landscape.treatable)
    return free[np.cumsum(problem.landscape.cost.ravel()[free]) <= problem.budget]

def raises(problem):
    return [1 / 0]

number = 3
'''
ENTRIES = """[firebreak.methods]
first-cells = tiny:first_cells
dqn = tiny:first_cells
gone = tiny:nothing
missing = tiny_that_is_not_there:f
number = tiny:number
raises = tiny:raises
exits = tiny_exits:f
"""
ASKS = """
import sys, warnings
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    from firebreak.planning.methods import METHODS
print(*(str(one.message) for one in heard))
print(METHODS["first-cells"].description, METHODS["dqn"].guided, "tiny" in sys.modules)
from firebreak import InputError, plan
for name in ("first-cells", "gone", "missing", "number", "raises", "exits"):
    try:
        print(plan("synthetic:1:12", method=name, test_fires=0, plan_fires=16, quiet=True))
    except InputError as error:
        print(error)
"""


def install(folder: Path, name: str, module: str, code: str, entries: str) -> None:
    """A distribution as an installer leaves it."""
    (folder / f"{module}.py").write_text(code)
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entries)


@pytest.mark.slow
def test_an_installed_package_adds_methods(tmp_path: Path) -> None:
    install(tmp_path, "tiny", "tiny", PLUGIN, ENTRIES)
    install(tmp_path, "zzz", "zzz", PLUGIN, "[firebreak.methods]\nfirst-cells = zzz:number\n")
    (tmp_path / "tiny_exits.py").write_text("raise SystemExit(4)\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{ASKS}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    clash, entry, made, gone, missing, number, raises, exits = done.stdout.splitlines()
    assert "tiny 1.0: its entry point 'dqn' of firebreak.methods is left out: firebreak" in clash
    assert "zzz 1.0: its entry point 'first-cells' of firebreak.methods is left out: tiny" in clash
    assert entry == "a method of the package tiny 1.0 True False"
    assert made.startswith("<plan of first-cells on synthetic:1:12: ")
    for line, given in ((gone, "AttributeError"), (missing, "ModuleNotFoundError"),
                        (number, "got int"), (raises, "got ZeroDivisionError: division by zero"),
                        (exits, "got SystemExit: 4")):
        assert line.startswith("tiny 1.0, entry point '")
        assert given in line


def test_a_method_of_a_package_gives_way_to_no_function() -> None:
    METHODS["installed"] = METHODS["none"]

    def installed(problem: MethodProblem) -> list[int]:
        return []

    with pytest.raises(InputError, match="no method has"):
        with_function(installed, "method")


def test_a_result_that_fires_do_not_have_is_refused() -> None:
    def asks(problem: MethodProblem) -> list[int]:
        problem.burn(want="los")  # type: ignore[arg-type]
        return []

    with pytest.raises(InputError, match=r"problem.burn, want: expected one of arrival, loss, "
                                         r"statistics, got result 'los'; did you mean 'loss'"):
        plan("synthetic:1:12", method=asks, test_fires=0, quiet=True)
