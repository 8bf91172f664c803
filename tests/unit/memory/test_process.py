"""The system's list of mappings, added up by sort."""

import ctypes
import mmap
import sys
from pathlib import Path

import pytest

from firebreak.memory.process import (
    ANONYMOUS,
    HEAP,
    SMALL_FILES,
    heap_row,
    is_file,
    mapped_bytes,
    rss_bytes,
)

LISTED = """\
55d0c0000000-55d0c0400000 rw-p 00000000 00:00 0                          [heap]
Size:               4096 kB
Rss:                3000 kB
Pss:                3000 kB
Swap:                 96 kB
VmFlags: rd wr mr mw me ac
7f0000000000-7f0000400000 rw-p 00000000 00:00 0
Rss:                2000 kB
Swap:                  0 kB
7f0000800000-7f0000900000 rw-p 00000000 00:00 0                          [anon:glibc: malloc]
Rss:                 500 kB
7f0010000000-7f0010400000 r-xp 00010000 fe:00 1234                       /opt/a/libtorch_cpu.so
Rss:                4000 kB
7f0010400000-7f0010500000 rw-p 00410000 fe:00 1234                       /opt/a/libtorch_cpu.so
Rss:                 100 kB
7f0020000000-7f0020400000 rw-s 00000000 fe:00 99                 /data/run 7/part-12.bin (deleted)
Rss:                1000 kB
7f0020400000-7f0020800000 rw-s 00000000 fe:00 98                         /data/run 7/part-13.bin
Rss:                1000 kB
7f0030000000-7f0030001000 r--p 00000000 fe:00 97                         /etc/small
Rss:                   4 kB
7f0040000000-7f0040400000 rw-s 00000000 00:01 5                          /dev/zero (deleted)
Rss:                  40 kB
7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]
Rss:                 132 kB
"""


def test_mappings_are_added_up_by_sort_and_files_by_name(tmp_path: Path) -> None:
    (tmp_path / "smaps").write_text(LISTED)
    assert mapped_bytes(tmp_path / "smaps") == {name: 1024 * size for name, size in {
        HEAP: 3096, ANONYMOUS: 2500, "libtorch_cpu.so": 4100, "/data/run #/part-#.bin": 2000,
        SMALL_FILES: 4, "shared mappings": 40, "stack": 132}.items()}


def test_a_system_that_does_not_tell_gives_none(tmp_path: Path) -> None:
    assert mapped_bytes(tmp_path / "nothing") is None
    (tmp_path / "smaps").touch()
    assert mapped_bytes(tmp_path / "smaps") is None


def test_files_are_told_from_other_sorts() -> None:
    assert [name for name in (HEAP, ANONYMOUS, "stack", "[vdso]", "libc.so.6", "/a/b", SMALL_FILES)
            if is_file(name)] == ["libc.so.6", "/a/b", SMALL_FILES]


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell")
def test_a_new_mapping_is_in_its_sort_and_all_sorts_are_all_that_is_resident(
        tmp_path: Path) -> None:
    size = 8_000_000
    path = tmp_path / "table.bin"
    path.write_bytes(bytes(size))
    before = mapped_bytes()
    assert before is not None
    with mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as taken, path.open("rb") as f:
        taken.write(b"1" * size)
        with mmap.mmap(f.fileno(), size, access=mmap.ACCESS_READ) as mapped:
            assert sum(mapped[::4096]) == 0
            during = mapped_bytes()
            resident = rss_bytes()
    assert during is not None
    assert during[ANONYMOUS] - before[ANONYMOUS] == pytest.approx(size, abs=2e6)
    assert sum(during.values()) == pytest.approx(resident, rel=0.02)
    found = [name for name in during if name.endswith("table.bin")]
    assert during[found[0]] == pytest.approx(size, abs=1e5)


@pytest.mark.skipif(sys.platform != "linux", reason="the C library does not tell")
def test_what_is_freed_is_held_free() -> None:
    c = ctypes.CDLL(None)
    c.malloc.restype, c.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    blocks = [c.malloc(1000) for _ in range(2000)]
    before = heap_row()
    for place in blocks[:-1]:
        c.free(place)
    after = heap_row()
    c.free(blocks[-1])
    freed = before["heap_bytes"] - after["heap_bytes"]
    assert freed == pytest.approx(2e6, rel=0.1)
    assert after["heap_free_bytes"] - before["heap_free_bytes"] == pytest.approx(freed, rel=0.1)
