"""Layouts of what kernels take: named tuples of arrays and numbers, as words of eight bytes.

A field's annotation says all that is checked: `Annotated[NDArray[np.float32], "R P 5"]` is a
C-contiguous array of float32 with three axes, the last of length 5. Equal names are equal lengths
in one call. "2P" is twice P, "<=F" at most F, "?" any length; an array that may be left out ends
with "or none" and then has no elements. WRITTEN marks arrays that the kernel writes.
`scripts/native_headers.py` makes the C++ structs from the same annotations.
"""

import re
import struct
from collections.abc import Iterator
from functools import cache
from operator import index
from typing import (
    Annotated,
    Any,
    NamedTuple,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from numpy.typing import NDArray

WRITTEN = "written"
"""Marks an array that the kernel writes."""
NUMBERS: dict[Any, str] = {int: "q", bool: "q", float: "d", np.uint64: "Q"}
_AXIS = re.compile(r"(<=)?(\d*)([A-Z][A-Za-z]*)?|\?")

_ARRAYS = (np.ndarray, np.memmap)  # no subclass that means something else, such as a mask

T = TypeVar("T", bound=tuple)


class Axis(NamedTuple):
    """The length that an axis must have: `times` the length `name`, or `times` itself where there
    is no name; 0 for any. most: at most that.
    """

    name: str
    times: int
    most: bool


class ArrayLayout(NamedTuple):
    """Type and axes that an array must have. optional: may have no elements."""

    dtype: np.dtype
    axes: tuple[Axis, ...]
    optional: bool
    written: bool


class Layout(NamedTuple):
    """Parts that a named tuple, or a call's arguments, must have, and how its words lie in memory.

    parts: by name, in order: an array's layout, a number's code of `struct`, or a layout.
    """

    name: str
    parts: dict[str, "ArrayLayout | str | Layout"]
    words: struct.Struct


class Packing(NamedTuple):
    """Facts about a call while its arguments are packed: lengths of axes by name; spans: where
    each array begins and ends in memory, whether it is written, and which it is.
    """

    lengths: dict[str, int]
    spans: list[tuple[int, int, bool, str]]


class Held:
    """A named tuple whose arrays were checked once; it has the tuple's fields, and their order."""

    __slots__ = ("layout", "lengths", "value", "words")

    def __init__(self, value: tuple) -> None:
        self.layout, self.value, known = layout_of(type(value)), value, Packing({}, [])
        self.words = self.layout.words.pack(*_flat(self.layout, value, known))
        self.lengths = known.lengths
        _check_apart(known)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.value, name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value)

    def __reduce__(self) -> tuple:  # a copy has arrays elsewhere
        return hold, (self.value,)


def hold(value: T) -> T:
    """A named tuple in the form that kernels take, for many calls: packing the largest ones takes
    longer than a call on a small map. Its arrays must not be resized.

    Raises:
        TypeError, ValueError: an array is not what its annotation says.
    """
    return value if isinstance(value, Held) else Held(value)  # type: ignore[return-value]


def zeros(kind: type[T], **lengths: int) -> T:
    """A named tuple of arrays of zeros, whose axes have these lengths by name."""
    return kind(*(np.zeros([lengths[axis.name] * axis.times if axis.name else axis.times
                            for axis in part.axes], part.dtype)
                  for part in layout_of(kind).parts.values() if isinstance(part, ArrayLayout)))


def _axis(text: str) -> Axis:
    found = _AXIS.fullmatch(text)
    if not found:
        raise ValueError(f"no length of an axis: {text}")
    most, times, name = found.groups()
    return Axis(name or "", int(times or 1) if name else int(times or 0), bool(most))


def _part(annotation: Any) -> ArrayLayout | str | Layout:
    if get_origin(annotation) is Annotated:
        array, dims, *marks = get_args(annotation)
        dims, _, none = dims.partition(" or ")
        (kind,) = get_args(get_args(array)[1])
        return ArrayLayout(np.dtype(kind), tuple(_axis(text) for text in dims.split()),
                           none == "none", WRITTEN in marks)
    if annotation in NUMBERS:
        return NUMBERS[annotation]
    return layout_of(annotation)


def _format(parts: dict[str, Any]) -> str:
    return "".join("Q" + "q" * len(part.axes) if isinstance(part, ArrayLayout)
                   else part if isinstance(part, str) else part.words.format[1:]
                   for part in parts.values())


def layout_from(name: str, annotations: dict[str, Any]) -> Layout:
    """The layout of named, annotated parts."""
    parts = {key: _part(annotation) for key, annotation in annotations.items()}
    return Layout(name, parts, struct.Struct("=" + _format(parts)))


@cache
def layout_of(kind: type) -> Layout:
    """The layout of a named tuple."""
    return layout_from(kind.__name__, get_type_hints(kind, include_extras=True))


def _fits(axis: Axis, length: int, lengths: dict[str, int]) -> bool:
    if axis.name:
        known = lengths.get(axis.name)
        if known is None:
            if axis.most or length % axis.times:
                return axis.most
            lengths[axis.name] = length // axis.times
            return True
        wanted = known * axis.times
        return length <= wanted if axis.most else length == wanted
    return axis.times in (0, length)


def _check(where: str, layout: ArrayLayout, array: Any, lengths: dict[str, int]) -> None:
    if type(array) not in _ARRAYS or array.dtype != layout.dtype:
        given = array.dtype if type(array) in _ARRAYS else type(array).__name__
        raise TypeError(f"{where}: expected an array of {layout.dtype}, got {given}")
    if array.ndim != len(layout.axes):
        raise ValueError(f"{where}: expected {len(layout.axes)} axes, got {array.ndim}")
    flags = array.flags
    if not flags.c_contiguous:
        raise ValueError(f"{where}: expected a C-contiguous array, got strides {array.strides}")
    if layout.written and not flags.writeable:
        raise ValueError(f"{where}: expected an array that can be written, got a read-only one")
    if array.dtype == np.bool_ and array.view(np.uint8).max(initial=0) > 1:
        raise ValueError(f"{where}: expected truth values of 0 and 1, got another byte")
    if layout.optional and array.size == 0:
        return
    for axis, length in zip(layout.axes, array.shape, strict=True):
        if not _fits(axis, length, lengths):
            known = lengths.get(axis.name, 1)
            raise ValueError(f"{where}: expected {'at most ' if axis.most else ''}"
                             f"{known * axis.times} for {axis.name or 'an axis'} of the shape, got "
                             f"{array.shape}")


def _array(where: str, layout: ArrayLayout, array: Any, known: Packing) -> list[int]:
    """Pointer and shape of an array that is what it must be."""
    _check(where, layout, array, known.lengths)
    first: int = array.ctypes.data
    if array.nbytes:
        known.spans.append((first, first + array.nbytes, layout.written, where))
    return [first, *array.shape]


def _number(where: str, code: str, value: Any) -> int | float:
    if code == "d":
        if not isinstance(value, int | float | np.floating | np.integer):
            raise TypeError(f"{where}: expected a number, got {type(value).__name__}")
        return float(value)
    try:
        whole = index(value)
    except TypeError:
        raise TypeError(f"{where}: expected a whole number, got {type(value).__name__}") from None
    least, most = (-2**63, 2**63) if code == "q" else (0, 2**64)
    if not least <= whole < most:
        raise ValueError(f"{where}: expected a whole number of 64 bits, got {whole}")
    return whole


def _flat(layout: Layout, values: Any, known: Packing) -> list[int | float]:
    """The numbers of a tuple's words."""
    if len(values) != len(layout.parts):
        raise TypeError(f"{layout.name}: expected {len(layout.parts)} parts, got {len(values)}")
    flat: list[int | float] = []
    for (name, part), value in zip(layout.parts.items(), values, strict=True):
        where = f"{layout.name}.{name}"
        if isinstance(part, ArrayLayout):
            flat.extend(_array(where, part, value, known))
        elif isinstance(part, str):
            flat.append(_number(where, part, value))
        else:
            flat.extend(_flat(part, value, known))
    return flat


def _check_apart(known: Packing) -> None:
    """Refuses arrays that share memory where one of them is written: a kernel would read what it
    has checked before it was changed.
    """
    end = written_until = 0
    for first, last, written, where in sorted(known.spans):
        if first < written_until or (written and first < end):
            raise ValueError(f"{where}: expected memory that no array that is written shares")
        end = max(end, last)
        written_until = max(written_until, last) if written else written_until


def _take_lengths(where: str, own: dict[str, int], lengths: dict[str, int]) -> None:
    for name, length in own.items():
        if lengths.setdefault(name, length) != length:
            raise ValueError(f"{where}: expected {lengths[name]} for {name}, as in the arguments "
                             f"before, got {length}")


def packed(layout: Layout, values: tuple) -> bytes:
    """The words of a call's arguments, each an array, a number, a named tuple or a held one.

    Raises:
        TypeError, ValueError: an argument is not what its annotation says, or shares memory with
            one that is written. What a held tuple shares with others is not looked for.
    """
    known = Packing({}, [])
    words = []
    for (name, part), value in zip(layout.parts.items(), values, strict=True):
        where = f"{layout.name}.{name}"
        if isinstance(value, Held):
            if value.layout is not part:
                raise TypeError(f"{where}: got a {value.layout.name}")
            _take_lengths(where, value.lengths, known.lengths)
            words.append(value.words)
        elif isinstance(part, ArrayLayout):
            words.append(struct.pack(f"=Q{len(part.axes)}q", *_array(where, part, value, known)))
        elif isinstance(part, str):
            words.append(struct.pack(f"={part}", _number(where, part, value)))
        else:
            words.append(part.words.pack(*_flat(part, value, known)))
    _check_apart(known)
    return b"".join(words)


def arrays_in(value: Any) -> list[NDArray]:
    """All arrays of a named tuple, or of a held one, with those of tuples inside it."""
    if isinstance(value, Held):
        return arrays_in(value.value)
    if isinstance(value, np.ndarray):
        return [value]
    if not isinstance(value, tuple):
        return []
    return [array for part in value for array in arrays_in(part)]
