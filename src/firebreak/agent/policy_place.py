"""Places of policies. Loads no network, so that a missing file is said at once."""

from pathlib import Path

from firebreak.checks import fail

POLICY, OLD_POLICY = "policy.safetensors", "policy.pt"
"""In the folder of a run: the best policy; as versions before format 3 named it."""
SHIPPED = Path(__file__).parents[1] / "policies" / "general.safetensors"
"""The policy that comes with the package, for all breaks but those of `SHADED`: trained with the
preset `general`."""
SHADED = SHIPPED.with_name("shaded.safetensors")
"""The one for shaded breaks that nobody holds: trained with the preset `shaded`."""


def shipped_policies() -> dict[str, Path]:
    """The policies that come with the package, by name."""
    return {file.stem: file for file in sorted(SHIPPED.parent.glob(f"*{SHIPPED.suffix}"))}


def policy_at(name: str) -> Path:
    """Return where a policy is: a file or run folder, or one that comes with the package by its
    name.
    """
    path = Path(name)
    return path if path.exists() else shipped_policies().get(name, path)


def file_at(path: Path) -> Path:
    """The file of the policy that a path names: itself, that of a run folder, or a shipped one.

    Raises:
        InputError: nothing is there.
    """
    found = ([path / name for name in (POLICY, OLD_POLICY)] if path.is_dir()
             else [policy_at(str(path))])
    for file in found:
        if file.is_file():
            return file
    raise fail(expected=f"a policy file, a run folder with {POLICY}, "
                        f"{' or '.join(shipped_policies())}", given="no such file",
               where=str(path), remedy="train one with 'firebreak train quick'")
