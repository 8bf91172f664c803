"""What is special about a method is said in its entry, and nowhere else by its name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import firebreak
from firebreak.planning.methods import (
    CANDIDATES,
    CHOOSERS,
    DEFAULT,
    GIVEN,
    METHODS,
    POLICY_METHOD,
    Method,
    called,
    method_of,
)

PACKAGE = Path(firebreak.__file__).resolve().parent
TABLE = PACKAGE / "planning" / "methods.py"
LOOKUPS = {"startswith", "endswith", "get", "index", "count", "place"}


def own_module(method: Method) -> str:
    return called(method.place).__module__.removeprefix("firebreak.").replace(".", "/") + ".py"


def strings(node: ast.AST) -> Iterator[str]:
    """The string constants of an operand: itself, or the items of a tuple, list or set."""
    items = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    for item in items:
        if isinstance(item, ast.Constant) and isinstance(item.value, str):
            yield item.value


def of_a_method(nodes: list[ast.AST]) -> bool:
    """Whether what is compared is called a method, a name, a plan or a start: "none", "random" and
    "segments" are words of other subjects too.
    """
    words = [name for node in nodes for part in ast.walk(node)
             for name in (getattr(part, "id", ""), getattr(part, "attr", ""))]
    return any(word in name.lower() for name in words
               for word in ("method", "name", "plan", "start", "subject"))


def asked_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, name) of every comparison with a method's name and every look-up by one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
        elif isinstance(node, ast.BoolOp):
            # `... or "none"` says that there is nothing to list.
            operands = [value for value in node.values if "none" not in strings(value)]
        elif isinstance(node, ast.Subscript):
            operands = [node.value, node.slice]
        elif (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
              and node.func.attr in LOOKUPS):
            operands = [node.func.value, *node.args]
        elif isinstance(node, ast.MatchValue):
            operands = [node.value]
        else:
            continue
        for word in (word for operand in operands for word in strings(operand)):
            plain = word in METHODS or word == "dqn-"
            if plain and (word.startswith("dqn") or "-" in word or of_a_method(operands)):
                yield node.lineno, word


def found_in(package: Path) -> list[str]:
    """One line per place where a method's name decides something, but in its own file."""
    own = {name: own_module(method) for name, method in METHODS.items()}
    found = []
    for path in sorted(package.rglob("*.py")):
        if path == package / TABLE.relative_to(PACKAGE):
            continue
        relative = path.relative_to(package).as_posix()
        for line, name in asked_names(ast.parse(path.read_text(encoding="utf-8"))):
            if own.get(name) != relative:
                found.append(f"{relative}:{line}: {name}")
    return found


@pytest.mark.slow
def test_no_other_file_asks_for_a_method_by_its_name() -> None:
    assert found_in(PACKAGE) == []


@pytest.mark.parametrize("code", [
    'if method == "none": pass', 'x = name.startswith("dqn")', 'x = args.method or "dqn"',
    'x = methods["dqn"]', 'x = names.index("dqn")', 'x = task.place("dqn")',
    'if plan.method not in ("random", "existing"): pass', 'if named in {"greedy", "strips"}: pass',
    'if x == "dqn-lookahead": pass', 'match method:\n    case "dqn": pass'])
def test_a_planted_test_of_a_name_is_found(tmp_path: Path, code: str) -> None:
    (tmp_path / "a.py").write_text(code)
    assert found_in(tmp_path)


@pytest.mark.parametrize("code", ['if wind_limit != "none": pass', 'x = table["segments"]',
                                  'x = METHODS[name].treats', 'x = rows.get("random", 0)'])
def test_words_of_other_subjects_are_let_be(tmp_path: Path, code: str) -> None:
    (tmp_path / "a.py").write_text(code)
    assert found_in(tmp_path) == []


def named(field: str) -> list[str]:
    return [name for name, method in METHODS.items() if getattr(method, field)]


def test_entries_say_what_is_special_about_their_methods() -> None:
    assert named("stochastic") == ["random"]
    assert named("guided") == ["dqn", "dqn-lookahead", "dqn-search"]
    assert named("searches") == ["dqn-search"]
    assert named("compared") == ["none", "random", "burn-probability", "downstream-value"]
    assert [name for name in METHODS if name not in named("treats")] == ["none"]
    assert POLICY_METHOD in METHODS
    assert METHODS[POLICY_METHOD].guided
    assert DEFAULT in CHOOSERS
    assert not CHOOSERS.keys() & METHODS.keys()


def test_the_fixed_order_of_the_candidates_is_that_of_their_entries() -> None:
    assert CANDIDATES == ("strips", "downstream-value", "betweenness", "dqn", "segments",
                          "dqn-lookahead", "enclose", "greedy")
    places = [candidate.order for name in CANDIDATES
              if (candidate := METHODS[name].candidate) is not None]
    assert places == sorted(set(places))
    assert not any(METHODS[name].stochastic or METHODS[name].searches for name in CANDIDATES)


def test_a_plan_of_another_name_was_made_elsewhere() -> None:
    assert method_of("dqn") is METHODS["dqn"]
    assert method_of("dqn-2") is method_of("existing") is GIVEN
    assert GIVEN.treats
    assert not GIVEN.guided
