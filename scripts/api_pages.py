"""Writes docs/api, a page for each package; every build of the documentation does.

Compiled kernels are left out: they are called through the modules beside them. So is `cli`, whose
options `--help` tells.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE, OUT = ROOT / "src" / "firebreak", ROOT / "docs" / "api"
LEFT_OUT = ("cli",)


def page(title: str, about: str, modules: list[str]) -> str:
    """One page: a heading, what belongs there, and every module with its public names."""
    parts = [f"# {title}\n", f"{about}\n"]
    for module in modules:
        parts.append(f"## {module.removeprefix('firebreak.')}\n\n```{{eval-rst}}\n"
                     f".. automodule:: {module}\n   :members:\n```\n")
    return "\n".join(parts)


def modules_in(folder: Path) -> list[str]:
    """The public modules that lie in a folder itself, kernels left out."""
    return [_dotted(path.with_suffix("")) for path in sorted(folder.glob("*.py"))
            if not path.stem.startswith("_")]


def packages() -> list[Path]:
    """The folders of all packages that have a page, each before those within it."""
    folders = sorted(path.parent for path in PACKAGE.rglob("__init__.py"))
    return [folder for folder in folders if folder != PACKAGE
            and folder.relative_to(PACKAGE).parts[0] not in LEFT_OUT]


def pages() -> dict[str, str]:
    """File name -> text."""
    base = modules_in(PACKAGE)
    title = "firebreak: " + ", ".join(name.removeprefix("firebreak.") for name in base)
    made = {"base.md": page(title, "What every part may use, and what `env` and `agent` share.",
                            base)}
    for folder in packages():
        source = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
        about = ast.get_docstring(source) or ""
        name = _dotted(folder)
        made[f"{name.removeprefix('firebreak.').replace('.', '-')}.md"] = page(
            name, f"{about}\n\n{_offered(source, name)}".rstrip() + "\n", modules_in(folder))
    return made


def main() -> None:
    """Writes them, and removes those of packages that are gone."""
    OUT.mkdir(exist_ok=True)
    made = pages()
    for path in OUT.glob("*.md"):
        if path.name not in made:
            path.unlink()
    for name, text in made.items():
        (OUT / name).write_text(text, encoding="utf-8")


def _dotted(path: Path) -> str:
    return ".".join(("firebreak", *path.relative_to(PACKAGE).parts))


def _offered(source: ast.Module, package: str) -> str:
    """A table of the names that a package offers from its inside; empty if it offers none."""
    names = [(alias.asname or alias.name, str(node.module).removeprefix("firebreak."))
             for node in source.body if isinstance(node, ast.ImportFrom)
             and str(node.module).startswith(f"{package}.") for alias in node.names]
    rows = [f"| `{name}` | `{module}` |" for name, module in names]
    return "\n".join(["| imported from the package | defined in |", "|---|---|", *sorted(rows)]
                     if rows else [])


if __name__ == "__main__":
    main()
