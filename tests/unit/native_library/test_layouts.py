"""What is checked of the arrays that kernels take, and how they are packed."""

import struct
from typing import Annotated, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from firebreak.native_library.layouts import (
    WRITTEN,
    arrays_in,
    hold,
    layout_from,
    layout_of,
    packed,
)


class Inner(NamedTuple):
    """A tuple within a tuple."""

    maps: Annotated[NDArray[np.float32], "R P 5"]
    order: Annotated[NDArray[np.int32], "2P", WRITTEN]
    heat: Annotated[NDArray[np.float64], "R P 3 or none"]
    steps: int
    length: float


CALL = layout_from("call", {"which": Annotated[NDArray[np.int64], "N"], "inner": Inner,
                            "rows": Annotated[NDArray[np.uint8], "<=N P or none"],
                            "key": np.uint64, "flag": bool})


def inner(rows: int = 2, cells: int = 6) -> Inner:
    return Inner(np.zeros((rows, cells, 5), np.float32), np.zeros(2 * cells, np.int32),
                 np.zeros((0, 0, 3)), 3, 2.5)


def call(count: int = 4, **changed: object) -> tuple:
    values = {"which": np.zeros(count, np.int64), "inner": inner(),
              "rows": np.zeros((count - 1, 6), np.uint8), "key": 2**64 - 1, "flag": True} | changed
    return tuple(values.values())


def test_words_are_pointers_shapes_and_numbers_in_the_order_of_the_parts() -> None:
    values = call()
    words = struct.unpack("=QqQqqqQqQqqqqdQqqQq", packed(CALL, values))
    which, own, rows, key, _ = values
    assert words == (which.ctypes.data, 4, own.maps.ctypes.data, 2, 6, 5, own.order.ctypes.data, 12,
                     own.heat.ctypes.data, 0, 0, 3, 3, 2.5, rows.ctypes.data, 3, 6, key, 1)


def test_a_held_tuple_packs_as_itself_and_its_lengths_count() -> None:
    values = call()
    before = packed(CALL, values)
    assert packed(CALL, (values[0], hold(values[1]), *values[2:])) == before
    with pytest.raises(ValueError, match=r"call\.rows: expected 6 for P"):
        packed(CALL, (values[0], hold(values[1]), np.zeros((3, 7), np.uint8), *values[3:]))
    layout = layout_from("two", {"one": Inner, "other": Inner})
    with pytest.raises(ValueError, match="for P, as in the arguments before, got 7"):
        packed(layout, (inner(), hold(inner(cells=7))))


@pytest.mark.parametrize(("changed", "words"), [
    ({"maps": np.zeros((2, 6, 5))}, "array of float32, got float64"),
    ({"maps": [1.0]}, "array of float32, got list"),
    ({"maps": np.zeros((2, 30), np.float32)}, "3 axes, got 2"),
    ({"maps": np.zeros((2, 6, 4), np.float32)}, "5 for an axis"),
    ({"maps": np.zeros((2, 12, 5), np.float32)[:, ::2]}, "C-contiguous"),
    ({"order": np.zeros(11, np.int32)}, "12 for P"),
    ({"heat": np.zeros((1, 6, 3))}, "2 for R"),
    ({"maps": np.zeros((2, 6, 5), ">f4")}, "array of float32"),
])
def test_an_array_that_is_not_what_its_annotation_says_is_refused(
        changed: dict[str, object], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        packed(CALL, call(inner=inner()._replace(**changed)))


def test_an_array_to_write_must_not_be_read_only_and_others_may_be() -> None:
    own = inner()
    own.maps.flags.writeable = False
    packed(CALL, call(inner=own))
    own.order.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        packed(CALL, call(inner=own))


def test_at_most_as_many_rows_and_none_where_none_may_be() -> None:
    packed(CALL, call(rows=np.zeros((0, 0), np.uint8)))
    packed(CALL, call(rows=np.zeros((4, 6), np.uint8)))
    with pytest.raises(ValueError, match="at most 4 for N"):
        packed(CALL, call(rows=np.zeros((5, 6), np.uint8)))
    with pytest.raises(ValueError, match="2 for R"):
        packed(CALL, call(inner=inner()._replace(heat=np.zeros((3, 6, 3)))))


def test_a_layout_of_a_word_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="no length of an axis"):
        layout_from("odd", {"a": Annotated[NDArray[np.int64], "n+1"]})


def test_arrays_of_tuples_within_tuples() -> None:
    own = inner()
    assert [id(array) for array in arrays_in((own, hold(own), 3))] == [
        id(array) for array in (*own[:3], *own[:3])]
    assert layout_of(Inner).words.size == 8 * 12


def test_a_held_tuple_of_another_kind_is_refused_wherever_it_stands() -> None:
    class Other(NamedTuple):
        """As many words as Inner has."""

        a: Annotated[NDArray[np.float32], "R P 5"]
        b: Annotated[NDArray[np.int32], "?"]
        c: Annotated[NDArray[np.float64], "R P 3 or none"]
        d: int
        e: float

    other = hold(Other(*inner()))
    assert len(other.words) == len(hold(inner()).words)  # type: ignore[attr-defined]
    for place in range(5):
        values = list(call())
        values[place] = other
        with pytest.raises(TypeError, match="got a Other"):
            packed(CALL, tuple(values))


def test_arrays_that_share_memory_with_one_that_is_written_are_refused() -> None:
    room = np.zeros(200, np.int32)
    layout = layout_from("two", {"read": Annotated[NDArray[np.int32], "?"],
                                 "again": Annotated[NDArray[np.int32], "?"],
                                 "out": Annotated[NDArray[np.int32], "?", WRITTEN]})
    packed(layout, (room[:100], room[50:150], room[150:]))
    packed(layout, (room, room, room[:0]))
    for out in (room[149:], room[:1], room[20:30]):
        with pytest.raises(ValueError, match="shares"):
            packed(layout, (room[:100], room[50:150], out))
    own = inner()
    with pytest.raises(ValueError, match="shares"):
        hold(own._replace(order=own.maps.view(np.int32).ravel()[:12]))


@pytest.mark.parametrize(("key", "error"), [
    ("1", TypeError), (2.0, TypeError), (b"1", TypeError), (None, TypeError), (2**64, ValueError),
    (-1, ValueError), (np.array([1, 2]), TypeError)])
def test_what_is_no_whole_number_of_64_bits_is_refused(key: object, error: type) -> None:
    with pytest.raises(error, match=r"call\.key: expected a whole number"):
        packed(CALL, call(key=key))


def test_masks_and_tuples_that_are_too_short_are_refused() -> None:
    with pytest.raises(TypeError, match="got MaskedArray"):
        packed(CALL, call(which=np.ma.array(np.zeros(4, np.int64))))
    with pytest.raises(TypeError, match="5 parts, got 4"):
        packed(CALL, call(inner=tuple(inner())[:4]))


def test_truth_values_are_bytes_of_0_and_1() -> None:
    layout = layout_from("truths", {"a": Annotated[NDArray[np.bool_], "?"]})
    packed(layout, (np.array([True, False]),))
    packed(layout, (np.zeros(0, np.bool_),))
    with pytest.raises(ValueError, match="0 and 1, got another byte"):
        packed(layout, (np.array([1, 2], np.uint8).view(np.bool_),))
