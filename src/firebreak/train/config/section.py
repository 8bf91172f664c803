"""What all tables of a configuration have in common."""

from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from firebreak.settings.surfaces import TOML_NAMES


class Section(BaseModel):
    """A table of the file: unknown keys are errors, values are fixed once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


T = TypeVar("T")


def section(kind: type[T]) -> type[T]:
    """A settings class as a table of the file, by the TOML names of its keys; like `Section`."""
    kind.__pydantic_config__ = ConfigDict(  # type: ignore[attr-defined]
        extra="forbid", allow_inf_nan=False, serialize_by_alias=True,
        alias_generator=lambda name: TOML_NAMES.get(name, name))
    return kind
