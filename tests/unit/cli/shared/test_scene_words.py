"""What was typed of a map, its fires and its breaks stands in the next command too."""

import shlex
from dataclasses import dataclass, field
from typing import Any

import pytest

from firebreak.api.shared.scene_options import SceneOptions
from firebreak.cli.shared import common
from firebreak.cli.shared.common import scene_words


@dataclass(frozen=True)
class Typed:
    """Options of a map and its fires alone."""

    scene: SceneOptions = field(default_factory=SceneOptions)


def parsed(*words: str) -> Any:
    return common.parse(Typed, list(words), "evaluate").options.scene


@pytest.mark.parametrize("words", [
    (), ("--value", "my houses.gpkg:price", "--value-unit", "EUR"), ("--crs", "EPSG:5070"),
    ("--treatment", "mastication,grazing", "--treatment-age", "2", "--hold", "hand", "--crew-km",
     "0.5", "--seed", "7"), ("--leak", "--spotting", "--wind-20ft-km-h", "30", "--losses",
                             "0,0.2,0.4,0.6,0.8,1")])
def test_the_words_say_what_was_typed(words: tuple[str, ...]) -> None:
    said = scene_words(parsed(*words, "--threads", "1", "--quiet"))
    assert "--threads" not in said
    again = parsed(*shlex.split(said), "--threads", "1", "--quiet")
    assert again == parsed(*words, "--threads", "1", "--quiet")
    assert said.count("--") == sum(word.startswith("--") for word in words)
