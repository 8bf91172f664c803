"""What kept work belongs to."""

from dataclasses import replace
from functools import partial

import numpy as np

from firebreak import __version__
from firebreak.fire import FireConditions, FireRegime, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.identity import bytes_of, hash_of, parts_of_scene, program


def test_a_scene_and_its_tiled_scene_are_one() -> None:
    land = generate(3, 8)
    conditions = FireConditions(scenarios=2, regime=FireRegime(duration_min=60.0))
    whole, wide = (hash_of(parts_of_scene(make(land, conditions, 1)))
                   for make in (make_scene, partial(make_scene, tiled=True)))
    assert whole == wide
    worth = replace(land, value=land.value + np.float32(1.0))
    assert hash_of(parts_of_scene(make_scene(worth, conditions, 1, tiled=True))) != wide


def test_parts_do_not_run_into_each_other() -> None:
    assert hash_of(["ab", "c"]) != hash_of(["a", "bc"])


def test_the_program_is_its_version_and_its_sources() -> None:
    version, _, sources = program().partition(" ")
    assert version == __version__
    assert len(sources) == 64


def test_what_a_field_lacks_has_no_bytes() -> None:
    assert bytes_of(None) == b""
    assert bytes_of(np.arange(3, dtype=np.int64)[::2]) == np.array([0, 2], np.int64).tobytes()
