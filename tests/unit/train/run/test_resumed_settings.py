"""A resumed run is told of settings that were changed, and of no others."""

import warnings

from firebreak.train.config.load import as_toml, load_config
from firebreak.train.run.resume import _warn_of_other_settings

NEW_KEYS = ("wind_limit", "length_to_width", "wind_towards")


def said(then: str, now: str) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _warn_of_other_settings(then, now)
    return [str(warning.message) for warning in caught]


def test_keys_that_a_checkpoint_does_not_know_yet_are_no_change() -> None:
    now = as_toml(load_config("quick"))
    then = "".join(line for line in now.splitlines(keepends=True)
                   if not line.startswith(NEW_KEYS))
    assert now.count("\n") - then.count("\n") == len(NEW_KEYS)
    assert said(then, now) == []
    (words,) = said(then, as_toml(load_config("quick", ["fires.wind_limit=andrews"])))
    assert "fires.wind_limit andrews instead of none" in words


def test_a_checkpoint_of_another_version_is_compared_as_it_is() -> None:
    now = as_toml(load_config("quick"))
    (words,) = said(f"unheard_of = 3\n{now}", now)
    assert "unheard_of None instead of 3" in words
