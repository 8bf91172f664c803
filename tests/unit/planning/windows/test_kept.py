"""What is kept of a plan by windows that is under way."""

from pathlib import Path

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.planning.windows import kept as unfinished
from firebreak.planning.windows.kept import Unfinished
from firebreak.planning.windows.region import Proposal


def kept_by(kept: Unfinished) -> tuple[int, int]:
    """The numbers of windows and answers that were kept."""
    return len(kept._proposals), len(kept._known)


def refuse() -> dict[str, np.ndarray]:
    raise AssertionError("it is known")


def stop() -> dict[str, np.ndarray]:
    raise KeyboardInterrupt


@pytest.mark.parametrize("most", [1, 3, 100])
def test_what_was_kept_comes_back_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                           most: int) -> None:
    monkeypatch.setattr(unfinished, "_MOST_ANSWERS", most)
    kept = Unfinished(tmp_path / "out", "job")
    assert kept.proposal(3) is None
    kept.keep_proposal(3, Proposal([np.array([5, 6]), np.array([9])], 2.5))
    kept.keep_proposal(4, Proposal([], 0.0, "nothing burns"))
    for k in range(7):
        kept.answer(lambda k=k: {"a": np.arange(k), "b": np.array([k], np.int32)})  # type: ignore[misc]
    kept.write()
    again = Unfinished(tmp_path / "out", "job")
    first = again.proposal(3)
    assert first is not None
    assert [line.tolist() for line in first.lines] == [[5, 6], [9]]
    assert first.simulations == 2.5
    assert again.proposal(4) == Proposal([], 0.0, "nothing burns")
    for k in range(7):
        found = again.answer(refuse)
        assert found["a"].tolist() == list(range(k))
        assert found["b"].dtype == np.int32
    assert again.answer(lambda: {"c": np.ones(1)})["c"].tolist() == [1.0]


def test_what_another_plan_kept_is_refused_and_stays(tmp_path: Path) -> None:
    kept = Unfinished(tmp_path, "job")
    kept.keep_proposal(0, Proposal([], 0.0))
    with pytest.raises(InputError, match="the unfinished plan of this command") as refused:
        Unfinished(tmp_path, "another job")
    assert str(refused.value).endswith("give another --out, or rename this folder")
    assert kept_by(Unfinished(tmp_path, "job"))[0] == 1


def test_files_of_a_user_stay(tmp_path: Path) -> None:
    kept = Unfinished(tmp_path / "out", "job")
    kept.keep_proposal(0, Proposal([], 0.0))
    kept.answer(lambda: {"a": np.arange(3)})
    kept.write()
    cut = kept.folder / ".window-000001.77.tmp"  # what a kill leaves
    own = [kept.folder / name for name in ("notes.txt", "window-000001.bak", "answers-old")]
    for path in (cut, *own):
        path.write_text("my own")
    again = Unfinished(tmp_path / "out", "job")
    assert kept_by(again) == (1, 1)
    again.remove()
    assert sorted(kept.folder.iterdir()) == sorted(own)
    for path in own:
        path.unlink()
    kept.folder.rmdir()
    kept.folder.write_text("a file")
    with pytest.raises(InputError, match="expected a folder, got a file"):
        Unfinished(tmp_path / "out", "job")


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    kept = Unfinished(tmp_path, "job")
    kept.keep_proposal(0, Proposal([np.arange(9)], 0.0))
    path = next(kept.folder.iterdir())
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(InputError, match="undamaged"):
        Unfinished(tmp_path, "job")


def test_a_folder_that_was_made_for_it_goes_with_it(tmp_path: Path) -> None:
    for out in (tmp_path / "out", tmp_path / "one" / "in" / "another"):
        kept = Unfinished(out, "job")
        kept.keep_proposal(0, Proposal([], 0.0))
        kept.remove()
        assert list(tmp_path.iterdir()) == []
    (tmp_path / "there").mkdir()
    kept = Unfinished(tmp_path / "there", "job")
    kept.keep_proposal(0, Proposal([], 0.0))
    kept.remove()
    assert list((tmp_path / "there").iterdir()) == []


def test_answers_of_other_shards_are_asked_again_and_proposals_stay(tmp_path: Path) -> None:
    kept = Unfinished(tmp_path, "job")
    kept.keep_proposal(0, Proposal([np.arange(3)], 1.0))
    kept.begin("four places")
    kept.answer(lambda: {"lost": np.array([1])})
    kept.write()
    same = Unfinished(tmp_path, "job")
    same.begin("four places")
    assert same.answer(refuse)["lost"].tolist() == [1]
    other = Unfinished(tmp_path, "job")
    other.begin("a place each")
    assert other.answer(lambda: {"lost": np.array([2])})["lost"].tolist() == [2]
    other.write()
    again = Unfinished(tmp_path, "job")
    again.begin("a place each")
    assert kept_by(again) == (1, 1)
    assert again.answer(refuse)["lost"].tolist() == [2]


@pytest.mark.parametrize(("lost", "left"), [(0, 0), (1, 2), (2, 4), (3, 6)])
def test_answers_after_a_file_that_is_missing_are_asked_again(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int, left: int) -> None:
    """And are known again then, whatever files of before lie beside those that are written."""
    monkeypatch.setattr(unfinished, "_MOST_ANSWERS", 2)

    def answered(known: int, number: int) -> None:
        kept = Unfinished(tmp_path, "job")
        kept.begin("four places")
        assert kept_by(kept)[1] == known
        for k in range(number):
            found = kept.answer(refuse if k < known else lambda k=k: {  # type: ignore[misc]
                "own" if k % 2 else "lost": np.array([k])})
            assert found["own" if k % 2 else "lost"].tolist() == [k]
        with pytest.raises(KeyboardInterrupt):
            kept.answer(stop)
        kept.write()

    answered(0, 8)
    files = sorted((tmp_path / "unfinished").iterdir())
    assert len(files) == 4
    files[lost].unlink()
    answered(left, left + 1)  # stopped again, with half a file
    if lost < 3:
        answered(left + 1, 8)
    answered(8 if lost < 3 else 7, 8)
    answered(8, 8)


def test_a_kill_while_answers_are_removed_leaves_the_first_of_them(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfinished, "_MOST_ANSWERS", 1)
    kept = Unfinished(tmp_path, "job")
    kept.begin("four places")
    for k in range(3):
        kept.answer(lambda k=k: {"lost": np.array([k])})  # type: ignore[misc]
    removed, left = Path.unlink, iter(range(1))

    def unlink(path: Path, missing_ok: bool = False) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        removed(path, missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", unlink)
        with pytest.raises(KeyboardInterrupt):
            Unfinished(tmp_path, "job").begin("a place each")
    same = Unfinished(tmp_path, "job")
    same.begin("four places")
    assert kept_by(same)[1] == 2
    assert [same.answer(refuse)["lost"].tolist() for _ in range(2)] == [[0], [1]]
