"""What was typed of a map, its fires and its breaks, as words of the command that comes next: it is
of the same ones.
"""

import shlex

from firebreak.api.shared.scene_options import SceneOptions
from firebreak.settings.spelling import changed, command_words

_OF_THE_PROCESS = ("threads", "quiet", "json")


def scene_words(scene: SceneOptions) -> str:
    """The options that differ from their defaults, each with a blank before it."""
    words = command_words(scene, [leaf for leaf in changed(scene)
                                  if leaf.name not in _OF_THE_PROCESS])
    return "".join(f" {shlex.quote(word)}" for word in words)
