"""What settings mean: the text below each field of a settings class."""

import ast
import inspect
import re
import textwrap
from dataclasses import fields
from functools import cache


@cache
def meanings(kind: type) -> dict[str, str]:
    """Text below each field of a dataclass and of its bases, in one line each."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__[:-1]):
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        assert isinstance(tree, ast.ClassDef)
        for field, below in zip(tree.body, tree.body[1:], strict=False):
            text = below.value.value if isinstance(below, ast.Expr) and isinstance(
                below.value, ast.Constant) else None
            if (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
                    and isinstance(text, str)):
                found[field.target.id] = " ".join(text.split())
    return {field.name: found[field.name] for field in fields(kind) if field.name in found}


def in_short(text: str) -> str:
    """The first sentence, without its capital and full stop: a part of another sentence."""
    first = re.split(r"\. (?=[A-Z\[])", text)[0].rstrip(".")
    return first if first[:2].isupper() else first[:1].lower() + first[1:]
