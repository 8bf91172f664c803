"""Writes docs/api, a page for each part of the package; every build of the documentation does.

Compiled kernels are left out: they are called through the modules beside them.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE, OUT = ROOT / "src" / "firebreak", ROOT / "docs" / "api"
PARTS = ("landscape", "fire", "env", "agent", "planning", "memory", "train", "report")
TOP = ("units", "checks", "files", "seeding", "compiled", "layout", "segments")


def page(title: str, modules: list[str]) -> str:
    """One page: a heading, and every module with its public names."""
    parts = [f"# {title}\n"]
    for module in modules:
        parts.append(f"## {module.removeprefix('firebreak.')}\n\n```{{eval-rst}}\n"
                     f".. automodule:: {module}\n   :members:\n```\n")
    return "\n".join(parts)


def pages() -> dict[str, str]:
    """File name -> text."""
    made = {"base.md": page(f"firebreak: {', '.join(TOP)}", [f"firebreak.{name}" for name in TOP])}
    for part in PARTS:
        modules = [".".join(("firebreak", *path.relative_to(PACKAGE).with_suffix("").parts))
                   for path in sorted((PACKAGE / part).rglob("*.py"))
                   if not path.stem.startswith("_") and not path.stem.endswith("_kernel")]
        made[f"{part}.md"] = page(f"firebreak.{part}", modules)
    return made


def main() -> None:
    """Writes them."""
    OUT.mkdir(exist_ok=True)
    for name, text in pages().items():
        (OUT / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
