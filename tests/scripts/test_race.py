"""benchmarks/race.py: the race of candidates chooses as all choice fires do."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import race

from firebreak.native_library import set_threads
from firebreak.planning.evaluation.choice import SIGMAS
from firebreak.planning.search import moves as improve


@pytest.mark.slow
def test_the_race_chooses_as_all_choice_fires_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the first jobs of the benchmark; one without any patience would choose otherwise."""
    monkeypatch.setattr(improve, "MOST_BURNS", 0)
    set_threads(1)
    found = [race.outcomes(race.drawn_job(number), (SIGMAS, -10.0), 800) for number in range(12)]
    own = [outcome for outcome, _ in found]
    assert sum(not outcome.same for outcome in own) <= race.SHARE * len(own)
    assert max(outcome.lost for outcome in own) <= race.WORST
    assert sum(outcome.burned for outcome in own) < 0.8 * len(own)
    assert any(not outcome.same for _, outcome in found)
