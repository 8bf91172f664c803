"""Schedules of absolute steps: a value is a function of env or learner steps, never of a share of a
run's length, so that a longer run starts like a short one.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LinearSchedule:
    """`start` until step `begin`, `end` from step `finish` on, a straight line between."""

    start: float
    end: float
    begin: int
    finish: int

    def __call__(self, step: int) -> float:
        """The value at an absolute step."""
        if step <= self.begin:
            return self.start
        if step >= self.finish:
            return self.end
        return self.start + (self.end - self.start) * (step - self.begin) / (
            self.finish - self.begin)
