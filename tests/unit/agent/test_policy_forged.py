"""Policy files forged by a grammar. The container is whole and its checksum is that of the file.
The JSON texts in it are such as no writer of ours makes: numbers beyond any type, keys that come
twice, deep nesting, halves of letters, endless texts.
"""

import hashlib
import json
import re
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import FORMAT, load_policy, write_sealed
from firebreak.checks import InputError
from firebreak.layout import OBSERVATION

ABOUT = {"channels": json.dumps(list(OBSERVATION.names)), "width": "4",
         "options": '{"mask_channel": null, "shapes": 1}', "provenance": '{"run": "a"}'}
UNSEALED = "0" * 64
MOST_BYTES = 60_000_000
"""Python may hold of a header of at most 2 MB; lists of lists take most."""

SCALARS = st.sampled_from([
    "0", "-0", "1", "4", "4.0", "-1", "512", "513", "true", "false", "null", "NaN", "Infinity",
    "-Infinity", "1e400", "-1e400", "1e-400", "9" * 18, str(2**63), str(2**64), "9" * 400,
    "9" * 5000, "1" + "0" * 100_000, "0." + "3" * 5000, '""', '"a"', '"4"', '"F32"', '"\\ud800"',
    '"\\udfff\\ud800"', '"\ud800"', '"\\u0000"', '"\\n\\r\\u2028"', f'"{"a" * 100_000}"', '"\x7f"',
    '"é\\u00e9"'])
KEYS = st.sampled_from(["channels", "width", "options", "provenance", "shapes", "mask_channel",
                        "continuation", "a", "", "__class__", "\\ud800", "\\u0000", "dtype",
                        "shape", "data_offsets", "format", "sha256", "policy", "a" * 70_000])


def _joined(pairs: list[tuple[str, str]]) -> str:
    """An object with these keys, also where one comes twice."""
    return "{" + ", ".join(f'"{key}": {value}' for key, value in pairs) + "}"


def _nested(deep: int, kind: str) -> str:
    return "[" * deep + "]" * deep if kind == "list" else '{"a": ' * deep + "0" + "}" * deep


TEXTS = st.recursive(
    SCALARS | st.builds(_nested, st.sampled_from([2, 63, 70, 900, 50_000]),
                        st.sampled_from(["list", "object"])),
    lambda inner: st.lists(inner, max_size=4).map(lambda all_of: f"[{', '.join(all_of)}]")
    | st.lists(st.tuples(KEYS, inner), max_size=4).map(_joined)
    | st.tuples(inner, st.sampled_from([2, 20_000])).map(
        lambda one: f"[{', '.join([one[0]] * (one[1] if len(one[0]) < 10 else 2))}]"), max_leaves=6)


def _parts(path: Path) -> tuple[dict[str, str], bytes]:
    """The texts of the entries of a file's header by name, and its data."""
    weights = QMapNetwork(OBSERVATION.channels, 4).state_dict()
    write_sealed(path, "{}", weights)
    whole = path.read_bytes()
    begin = 8 + int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8:begin])
    del header["__metadata__"]
    return {name: json.dumps(value) for name, value in header.items()}, whole[begin:]


def _sealed(header: str, data: bytes) -> bytes:
    """A file with this header, and where the header has a place for it the checksum of the file."""
    text = header.encode("utf-8", "surrogatepass")
    text += b" " * (-len(text) % 8)
    whole = len(text).to_bytes(8, "little") + text + data
    return whole.replace(UNSEALED.encode(), hashlib.sha256(whole).hexdigest().encode(), 1)


def forged(path: Path, place: str, text: str, twice: bool) -> None:
    """Writes a file whose `place` says `text`. twice: after what belongs there, by the same key."""
    entries, data = _parts(path)
    about = [*ABOUT.items()]
    held = [("format", json.dumps(FORMAT)), ("sha256", f'"{UNSEALED}"')]
    tensors = [*entries.items()]

    def with_it(pairs: list[tuple[str, str]], key: str) -> list[tuple[str, str]]:
        kept = pairs if twice else [pair for pair in pairs if pair[0] != key]
        return [*kept, (key, text)]

    kind, _, name = place.partition(":")
    if kind == "about":
        about = with_it(about, name)
    elif kind == "held":
        held = with_it(held, name)
    elif kind == "entry":
        first, given_text = tensors[0]
        changed = with_it([(key, json.dumps(value)) for key, value in
                           json.loads(given_text).items()], name)
        tensors[0] = (first, _joined(changed))
    elif kind == "tensor":
        tensors = with_it(tensors, name or tensors[-1][0])
    policy = text if place == "policy" else _joined(about)
    held.append(("policy", json.dumps(policy)))
    metadata = text if place == "metadata" else _joined(held)
    header = _joined([("__metadata__", metadata), *tensors])
    path.write_bytes(_sealed(text if place == "header" else header, data))


PLACES = ["about:channels", "about:width", "about:options", "about:provenance", "about:a",
          "held:format", "held:sha256", "held:policy", "held:a", "entry:dtype", "entry:shape",
          "entry:data_offsets", "entry:a", "tensor:", "tensor:a", "policy", "metadata", "header"]


@pytest.mark.slow
@settings(max_examples=150, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@example("held:sha256", '"\\ud800"', False)
@example("policy", '"\\ud800"', False)
@example("about:provenance", '{"run": "\\ud800"}', False)
@example("about:provenance", '{"a": ' + "9" * 4000 + "}", False)
@example("header", "[" * 50_000, False)
@example("entry:shape", "[" + ", ".join(["1"] * 20_000) + "]", True)
@given(st.sampled_from(PLACES), TEXTS, st.booleans())
def test_a_forged_text_is_refused_in_one_sentence_or_changes_nothing(
        tmp_path: Path, place: str, text: str, twice: bool) -> None:
    file = tmp_path / "p"
    forged(file, place, text, twice)
    tracemalloc.start()
    policy, said = None, ""
    try:
        policy = load_policy(file)
    except InputError as refused:
        said = str(refused)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    if policy is not None:
        said = json.dumps(policy.provenance, allow_nan=False, ensure_ascii=False)
        assert len(said) <= file.stat().st_size
    said.encode()  # what a terminal or a file is given
    assert len(said.splitlines()) == 1
    assert policy is not None or len(said) < 1000
    assert peak < MOST_BYTES


@pytest.mark.parametrize("place", ["about:a", "held:a"])
def test_the_forger_makes_files_that_are_whole(tmp_path: Path, place: str) -> None:
    """What is refused above is refused for what it says, not for a container that is broken."""
    file = tmp_path / "p"
    forged(file, "held:a", '"b"', False)
    assert load_policy(file).provenance == {"run": "a"}
    forged(file, place, "5", False)
    with pytest.raises(InputError, match=re.escape(FORMAT)):
        load_policy(file)
