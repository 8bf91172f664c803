"""Numbers as people read them."""

from firebreak.planning.effect import Interval


def amount(number: float) -> str:
    """Four figures, or whole thousands with commas: 0.01234, 12.35, 61,080."""
    return f"{number:,.0f}" if abs(number) >= 1000.0 else f"{number:.4g}"


def span(interval: Interval) -> str:
    """A number with its interval."""
    return f"{amount(interval.mean)} ({amount(interval.low)} to {amount(interval.high)})"
