"""A trained policy on disk: weights, the layout they expect, and where they came from.

A policy is one file in the safetensors format. Beside the tensors stand three texts: `format`;
`sha256`, of the whole file with 64 zeros in its own place; and `policy`, the JSON of width, options
of the network, channels of the observation and provenance. Nothing in it can be executed. The
network that the text describes must fit the tensors' sizes, and they the file's, before either is
made or read. `scripts/convert_policy.py` turns a policy of an earlier version into such a file.
"""

import hashlib
import json
from collections.abc import Mapping
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import pydantic
import torch
from pydantic import Field
from torch import Tensor

from firebreak.agent.network import network_named
from firebreak.agent.own_network import OwnNetwork, QNetwork
from firebreak.agent.policy_place import POLICY, SHIPPED, file_at
from firebreak.checks import InputError, fail
from firebreak.files import write_bytes
from firebreak.layout import OBSERVATION
from firebreak.line_actions import SHAPES
from firebreak.settings.retired import LAST
from firebreak.tensor_file import CHUNK, Damaged, Header, header_of, pieces_of_file, read_tensor

FORMAT = "firebreak-policy-3"
MAX_HEADER = 2 << 20

_EARLIER = tuple(name for name in OBSERVATION.names if name != "break_crossed")
"""The channels of policies that do not see what gets past a break."""
_ARCHIVE = b"PK\3\4"
"""First bytes of files of earlier versions. None of this format begins like that: its header would
be longer than any may be.
"""
_UNSEALED = "0" * 64


class Policy(NamedTuple):
    """network: in evaluation mode, on the CPU; provenance: plain values (run, episodes, config)."""

    network: QNetwork
    provenance: dict[str, Any]


class _Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class _Options(_Strict):
    mask_channel: Annotated[int, Field(ge=0, lt=OBSERVATION.channels)] | None = None
    shapes: Annotated[int, Field(ge=1, le=SHAPES)] = 1
    continuation: bool = False
    parts: Annotated[int, Field(ge=1, le=2)] = 1


class _About(_Strict):
    """Content of the text `policy` of a file. provenance: text, numbers and truth values by name.
    """

    channels: list[str]
    width: Annotated[int, Field(ge=1, le=512)]
    options: _Options
    network: str | None = None
    provenance: dict[str, str | int | float | bool | None]


def save_policy(path: Path, network: QNetwork, provenance: dict[str, Any],
                weights: dict[str, Tensor] | None = None) -> None:
    """Writes a policy file; the old one stays until the new one is complete.

    weights: in place of the network's own.

    Raises:
        OSError: the disk is full or may not be written; the old file is as it was.
    """
    # What a network does not have is not said: earlier versions do not know the word.
    own = {"network": network.name} if isinstance(network, OwnNetwork) else {}
    options = _Options(mask_channel=None, shapes=network.shapes)
    if network.parts > 1:
        options.parts = network.parts
    about = _About(channels=list(OBSERVATION.names), width=network.width, options=options,
                   provenance=provenance, **own)
    write_sealed(path, json.dumps(about.model_dump(exclude_unset=True), allow_nan=False),
                 network.state_dict() if weights is None else weights)


def write_sealed(path: Path, about: str, weights: Mapping[str, Tensor]) -> None:
    """Writes a file of this format whatever it says, with the checksum that belongs to it."""
    texts = {"format": FORMAT, "sha256": _UNSEALED, "policy": about}
    digest = hashlib.sha256()
    for piece in pieces_of_file(weights, texts):
        digest.update(piece)
    texts["sha256"] = digest.hexdigest()
    write_bytes(path, *pieces_of_file(weights, texts))


def load_policy(path: Path = SHIPPED) -> Policy:
    """Reads a policy file, the policy of a run folder, or one that comes with the package by its
    name, where no file has it; the shipped one if not given.

    Raises:
        InputError: no such file, not a policy of this version, or one made for another observation
            layout.
    """
    file = file_at(path)
    try:
        opened = file.open("rb")
    except OSError as error:
        raise fail(expected="a policy file", given=error.strerror or str(error), where=str(file),
                   remedy="check its permissions") from error
    with opened:
        if opened.read(len(_ARCHIVE)) == _ARCHIVE:
            raise fail(expected=f"a policy file of format {FORMAT}",
                       given=f"an archive, as policies were kept in, {LAST}", where=str(file),
                       remedy="convert it with scripts/convert_policy.py")
        return _read(opened, file)


def _read(file: BufferedReader, path: Path) -> Policy:
    """The policy of an open file of this format; `path` is for errors."""
    try:
        header = header_of(file, path, MAX_HEADER)
        about = _About.model_validate_json(header.texts["policy"])
    except (Damaged, KeyError, ValueError, RecursionError) as error:
        raise _not_a_policy(path) from error
    if header.texts.get("format") != FORMAT:
        raise _not_a_policy(path)
    if about.channels not in ([*OBSERVATION.names], *([] if about.network else [[*_EARLIER]])):
        raise fail(expected=f"a policy for the {OBSERVATION.channels} channels of this version",
                   given=f"one for {len(about.channels)} channels in another layout",
                   where=str(path), remedy="train it again with this version of firebreak")
    if about.options.mask_channel is not None:
        raise _retired(path, "agent.dueling")
    if about.options.continuation:
        raise _retired(path, "agent.return_share")
    shapes, parts = about.options.shapes, about.options.parts
    with torch.device("meta"):  # shapes only
        expected = network_named(about.network, len(about.channels), about.width, shapes, str(path),
                                 parts).state_dict()
    if {name: (entry.kind, entry.shape) for name, entry in header.entries.items()} != {
            name: (tensor.dtype, tuple(tensor.shape)) for name, tensor in expected.items()}:
        raise _not_a_policy(path, "weights that are not those of its network")
    if _sha256(file, header) != header.texts.get("sha256"):
        raise _not_a_policy(path, "a damaged file (its SHA-256 differs)")
    weights = {name: read_tensor(file, entry, None, path)
               for name, entry in header.entries.items()}
    if not all(bool(tensor.isfinite().all()) for tensor in weights.values()):
        raise _not_a_policy(path, "weights that are no numbers")
    network = network_named(about.network, OBSERVATION.channels, about.width, shapes, parts=parts)
    network.load_state_dict(_for_all_channels(weights, network.state_dict(), about.channels))
    return Policy(network.eval(), about.provenance)


def _retired(path: Path, key: str) -> InputError:
    return fail(expected="a policy of this version", given=f"one that was trained with {key}, "
                f"{LAST}", where=str(path), remedy="train it again")


def _for_all_channels(weights: dict[str, Tensor], like: dict[str, Tensor],
                      channels: list[str]) -> dict[str, Tensor]:
    """The weights of a network that sees these channels, for one that sees all: 0 for the others,
    so that its values are the same but for rounding.
    """
    kept = [OBSERVATION.channel(name) for name in channels]
    wider = {name: torch.zeros_like(like[name]) for name, tensor in weights.items()
             if tensor.shape != like[name].shape}
    for name, room in wider.items():  # what else a layer sees comes after the channels
        room[:, kept] = weights[name][:, :len(channels)]
        room[:, OBSERVATION.channels:] = weights[name][:, len(channels):]
    return weights | wider


def _sha256(file: BufferedReader, header: Header) -> str:
    """The checksum of a file, without the one that it holds."""
    begin = min(entry.begin for entry in header.entries.values())
    file.seek(0)
    held = header.texts.get("sha256", "").encode()
    digest = hashlib.sha256(file.read(begin).replace(held, _UNSEALED.encode(), 1))
    while piece := file.read(CHUNK):
        digest.update(piece)
    return digest.hexdigest()


def _not_a_policy(file: Path, given: str = "another or a damaged file") -> InputError:
    return fail(expected=f"a policy file of format {FORMAT}", given=given, where=str(file),
                remedy=f"name a {POLICY} written by 'firebreak train'")
