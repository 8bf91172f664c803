import json
import os
import pickle
import random
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from torch import Tensor

from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import FORMAT, load_policy, save_policy, write_sealed
from firebreak.agent.policy_place import policy_at
from firebreak.checks import InputError
from firebreak.layout import OBSERVATION
from firebreak.line_actions import SHAPES

PROVENANCE = {"run": "a", "episodes": 300, "reduction": 0.1 + 0.2, "kept": True, "start": None}


@pytest.fixture
def network() -> QMapNetwork:
    torch.manual_seed(3)
    return QMapNetwork(OBSERVATION.channels, 8)


def about_of(**changes: Any) -> str:
    """What a file of the network above says, with other parts; None: without this part."""
    about = {"channels": list(OBSERVATION.names), "width": 8,
             "options": {"mask_channel": None, "shapes": 1}, "provenance": {}} | changes
    return json.dumps({name: value for name, value in about.items() if value is not None})


def forged(path: Path, weights: dict[str, Tensor], **changes: Any) -> Path:
    """A file that says something else, with the checksum that belongs to it."""
    write_sealed(path, about_of(**changes), weights)
    return path


def parts_of(content: bytes) -> tuple[dict[str, Any], bytes]:
    """The header and the data of a file."""
    begin = 8 + int.from_bytes(content[:8], "little")
    return json.loads(content[8:begin]), content[begin:]


def file_of(header: Any, data: bytes) -> bytes:
    """A file of any header."""
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def test_a_policy_comes_back_as_it_was(tmp_path: Path, network) -> None:
    save_policy(tmp_path / "policy.safetensors", network, PROVENANCE)
    for path in (tmp_path / "policy.safetensors", tmp_path):  # the file, or its run folder
        policy = load_policy(path)
        assert list(policy.provenance.items()) == list(PROVENANCE.items())
        assert not policy.network.training
        observation = torch.rand(2, OBSERVATION.channels, 9, 10)
        assert torch.equal(policy.network(observation), network(observation))
    assert [p.name for p in tmp_path.iterdir()] == ["policy.safetensors"]


def test_weights_in_place_of_the_networks_own_are_written(tmp_path: Path, network) -> None:
    weights = {name: tensor + 1.0 for name, tensor in network.state_dict().items()}
    save_policy(tmp_path / "p", network, {}, weights)
    found = load_policy(tmp_path / "p").network.state_dict()
    assert all(torch.equal(found[name], tensor) for name, tensor in weights.items())


def test_the_file_is_one_that_safetensors_reads(tmp_path: Path, network) -> None:
    safetensors = pytest.importorskip("safetensors.torch", reason="safetensors is absent")
    save_policy(tmp_path / "p", network, {})
    found = safetensors.load_file(tmp_path / "p")
    assert all(torch.equal(found[name], tensor) for name, tensor in network.state_dict().items())


def test_policies_of_the_package_are_found_by_name(tmp_path: Path) -> None:
    assert load_policy(policy_at("general")).network.shapes > 1
    assert policy_at(str(tmp_path)) == tmp_path


def test_a_policy_for_another_layout_is_refused(tmp_path: Path, network) -> None:
    weights = network.state_dict()
    for channels in (list(OBSERVATION.names[::-1]), ["a"], []):
        with pytest.raises(InputError, match="layout"):
            load_policy(forged(tmp_path / "p", weights, channels=channels))


@pytest.mark.parametrize("options", [{}, {"shapes": SHAPES}],
                         ids=["cells", "lines"])
def test_a_policy_that_does_not_see_what_crosses_breaks_plans_as_before(tmp_path: Path,
                                                                        options: Any) -> None:
    names = [name for name in OBSERVATION.names if name != "break_crossed"]
    torch.manual_seed(5)
    earlier = QMapNetwork(len(names), 8, **options).eval()
    file = forged(tmp_path / "p", earlier.state_dict(), channels=names,
                  options={"mask_channel": None, "shapes": 1} | options)
    policy = load_policy(file)
    seen = torch.rand(2, OBSERVATION.channels, 12, 12)
    kept = [OBSERVATION.channel(name) for name in names]
    with torch.no_grad():
        torch.testing.assert_close(policy.network(seen), earlier(seen[:, kept]))
    save_policy(tmp_path / "again", policy.network, {})
    again = load_policy(tmp_path / "again").network.state_dict()
    assert all(torch.equal(again[name], tensor)
               for name, tensor in policy.network.state_dict().items())


@pytest.mark.parametrize(("option", "key"), [({"mask_channel": 3}, "dueling"),
                                             ({"continuation": True}, "return_share")])
def test_a_policy_of_a_retired_network_is_refused_in_one_sentence(
        tmp_path: Path, option: dict[str, object], key: str) -> None:
    file = forged(tmp_path / "p", QMapNetwork(OBSERVATION.channels, 8).state_dict(),
                  options={"mask_channel": None, "shapes": 1} | option)
    with pytest.raises(InputError, match=rf"agent\.{key}, last in version 1\.0; train it again"):
        load_policy(file)


def test_no_file_is_named_with_a_remedy(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "none", tmp_path, tmp_path / "pipe"):
        with pytest.raises(InputError, match="firebreak train"):
            load_policy(path)


def test_provenance_that_could_not_be_read_again_is_not_written(tmp_path: Path, network) -> None:
    for value in ({"a": 1}, [1], float("nan"), Path("a")):
        with pytest.raises(ValidationError):
            save_policy(tmp_path / "p", network, {"config": value})
    assert [*tmp_path.iterdir()] == []


def test_damaged_files_are_refused(tmp_path: Path, network) -> None:
    file = tmp_path / "p"
    save_policy(file, network, {})
    whole = file.read_bytes()
    for content in (b"", b"not a policy", whole[:len(whole) // 2], whole[:100], whole[500:],
                    whole[:-1], whole + b"\0", bytes(len(whole)), b"II*\0" + bytes(50),
                    pickle.dumps({"format": FORMAT}), random.Random(1).randbytes(9000)):
        file.write_bytes(content)
        with pytest.raises(InputError) as refused:
            load_policy(file)
        assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize("about", [
    {"channels": 5}, {"channels": "abc"}, {"channels": None}, {"channels": [5]},
    {"width": 10**9}, {"width": -1}, {"width": "8"}, {"width": 10**40}, {"width": None},
    {"width": 8.0}, {"width": True}, {"width": 16}, {"options": {"quantiles": 1}},
    {"options": {"shapes": 10**9}}, {"options": {"shapes": 2}}, {"options": {"mask_channel": 99}},
    {"options": {"mask_channel": -1}}, {"options": []}, {"provenance": [1]}, {"more": 1},
    {"provenance": {"config": {"breaks": {}}}}, {"provenance": {"config": ["a"]}},
    {"provenance": {"reduction": float("nan")}}, {"provenance": {"config": "a" * 3_000_000}}])
def test_what_a_file_says_of_itself_is_checked(tmp_path: Path, network, about) -> None:
    with pytest.raises(InputError, match="expected a policy"):
        load_policy(forged(tmp_path / "p", network.state_dict(), **about))


@pytest.mark.parametrize("text", ["", "[]", "5", "{", "[" * 100_000, '{"width": ' + "9" * 5000])
def test_a_text_that_is_none_of_ours_is_refused(tmp_path: Path, network, text: str) -> None:
    write_sealed(tmp_path / "p", text, network.state_dict())
    with pytest.raises(InputError, match="expected a policy"):
        load_policy(tmp_path / "p")


def test_other_weights_than_the_networks_are_refused(tmp_path: Path, network) -> None:
    whole = network.state_dict()
    first = next(iter(whole))
    for weights in ({}, {k: v for k, v in whole.items() if k != first}, whole | {"a": whole[first]},
                    whole | {first: whole[first].double()}, whole | {first: whole[first].flatten()},
                    whole | {first: whole[first].int()}):
        with pytest.raises(InputError, match="weights that are not those of its network"):
            load_policy(forged(tmp_path / "p", weights))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_refused(tmp_path: Path, network, value: float) -> None:
    with torch.no_grad():
        next(network.parameters()).view(-1)[0] = value
    save_policy(tmp_path / "p", network, {})
    with pytest.raises(InputError, match="no numbers"):
        load_policy(tmp_path / "p")


@pytest.mark.parametrize("texts", [
    {}, [], 5, {"format": "firebreak-policy-4"}, {"policy": 5}, {"sha256": "0" * 64},
    {"sha256": ""}, {"sha256": None}, {"format": FORMAT, "policy": "{}"}])
def test_other_texts_beside_the_tensors_are_refused(tmp_path: Path, network, texts) -> None:
    save_policy(tmp_path / "p", network, {})
    header, data = parts_of((tmp_path / "p").read_bytes())
    held = header["__metadata__"]
    header["__metadata__"] = held | texts if texts and isinstance(texts, dict) else texts
    (tmp_path / "p").write_bytes(file_of(header, data))
    with pytest.raises(InputError, match="expected a policy"):
        load_policy(tmp_path / "p")


def test_a_file_that_claims_much_takes_no_memory(tmp_path: Path, network) -> None:
    save_policy(tmp_path / "p", network, {})
    header, data = parts_of((tmp_path / "p").read_bytes())
    name = next(name for name in header if name != "__metadata__")
    large = {"dtype": "F32", "shape": [2**38], "data_offsets": [0, 2**40]}
    (tmp_path / "claim").write_bytes(file_of(header | {name: large}, data))
    (tmp_path / "long").write_bytes((2**62).to_bytes(8, "little") + b"{}")
    (tmp_path / "text").write_bytes(file_of(["a" * 9_000_000], data))
    (tmp_path / "sparse").write_bytes(file_of({name: large}, b""))
    with (tmp_path / "sparse").open("r+b") as file:
        file.truncate((tmp_path / "sparse").stat().st_size + 2**40)
    tracemalloc.start()
    for kind in ("claim", "long", "text", "sparse"):
        with pytest.raises(InputError):
            load_policy(tmp_path / kind)
    assert tracemalloc.get_traced_memory()[1] < 3_000_000
    tracemalloc.stop()


@pytest.mark.slow
def test_every_flipped_bit_is_found(tmp_path: Path, network) -> None:
    file = tmp_path / "p"
    save_policy(file, network, {"run": "a"})
    whole, draw = file.read_bytes(), random.Random(2)
    begin = 8 + int.from_bytes(whole[:8], "little")
    for place in [*draw.sample(range(begin), 300), *draw.sample(range(begin, len(whole)), 60)]:
        broken = bytearray(whole)
        broken[place] ^= 1 << draw.randrange(8)
        file.write_bytes(broken)
        with pytest.raises(InputError):
            load_policy(file)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner,
                                                                max_size=4), max_leaves=8)


@pytest.mark.slow
@settings(max_examples=150, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_absurd_headers_and_damage_are_one_sentence(tmp_path: Path, data) -> None:
    """Any part of the header or of what the file says of itself is something else, with the
    checksum that belongs to it; or bytes are another, missing or more.
    """
    file = tmp_path / "p"
    weights = QMapNetwork(OBSERVATION.channels, 4).state_dict()
    forged(file, weights, width=4)
    header, numbers = parts_of(file.read_bytes())
    kind = data.draw(st.sampled_from(["about", "header", "entry", "cut", "insert", "replace"]))
    if kind == "about":
        part = data.draw(st.sampled_from(["channels", "width", "options", "provenance", "a"]))
        forged(file, weights, **{"width": 4, part: data.draw(_VALUES)})
    elif kind == "header":
        name = data.draw(st.sampled_from([*header, "a"]))
        file.write_bytes(file_of(header | {name: data.draw(_VALUES)}, numbers))
    elif kind == "entry":
        name = data.draw(st.sampled_from([name for name in header if name != "__metadata__"]))
        part = data.draw(st.sampled_from(["dtype", "shape", "data_offsets"]))
        changed = header[name] | {part: data.draw(_VALUES)}
        file.write_bytes(file_of(header | {name: changed}, numbers))
    else:
        whole = file.read_bytes()
        place = data.draw(st.integers(0, len(whole) - 1))
        more = b"" if kind == "cut" else data.draw(st.binary(min_size=1, max_size=40))
        kept = {"cut": b"", "insert": whole[place:], "replace": whole[place + len(more):]}[kind]
        file.write_bytes(whole[:place] + more + kept)
    try:
        policy = load_policy(file)
    except InputError as error:
        refused = error
    else:
        assert all(torch.equal(tensor, weights[name])
                   for name, tensor in policy.network.state_dict().items())
        return
    assert len(str(refused).splitlines()) == 1
