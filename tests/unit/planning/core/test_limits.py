"""Limits of a search: the processor's time in this process, or evaluations."""

from time import sleep

from firebreak.planning.core.limits import Effort, SearchOptions


def test_waiting_takes_nothing_of_what_a_search_may_take() -> None:
    effort = Effort(SearchOptions(seconds=0.1))
    sleep(0.15)
    assert effort.left()
    while effort.left():
        sum(range(10_000))
    assert not effort.in_time()
    assert effort.share() == 1.0


def test_evaluations_end_a_search_whatever_time_it_takes() -> None:
    effort = Effort(SearchOptions(evaluations=4))
    effort.evaluated = 3
    assert effort.share() == 0.75
    effort.evaluated = 4
    assert not effort.left()
    assert effort.in_time()
