"""Commands as tests run them: what they say of their progress is tested elsewhere."""

import pytest


@pytest.fixture(autouse=True)
def no_lines_of_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that compiles kernels first takes longer than a line of progress is apart; tests
    count the lines of errors.
    """
    monkeypatch.setattr("firebreak.api.shared.progress.LINE_EVERY_S", 1e9)
