"""What was typed of a map, its fires and its breaks, as words of the command that comes next: it is
of the same ones.
"""

import shlex

from firebreak.api.given import value_of
from firebreak.api.options import keywords
from firebreak.api.shared.option_bounds import option_of
from firebreak.api.shared.scene_options import SceneOptions

_OF_THE_PROCESS = ("threads", "quiet", "json")


def scene_words(scene: SceneOptions) -> str:
    """The options that differ from their defaults, each with a blank before it."""
    words: list[str] = []
    for name, keyword in keywords(SceneOptions, _OF_THE_PROCESS).items():
        value = value_of(scene, keyword.groups, name)
        if value == keyword.default or value is None:
            continue
        words.append(option_of(name))
        if value is not True:
            words.append(str(value))
    return "".join(f" {shlex.quote(word)}" for word in words)
