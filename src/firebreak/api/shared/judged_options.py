"""What is asked of the test fires of a plan, checked before the plan is made: whether there are any
for what they are to tell, and whether they fit the memory.
"""

from firebreak.api.shared.plan_options import PlanOptions
from firebreak.checks import fail


def is_judged(options: PlanOptions) -> bool:
    """Whether a plan that is made at once is compared with others on test fires."""
    return options.test_fires != 0 and options.report != "none"


def check_judged(options: PlanOptions) -> None:
    """Refuses a number of test fires that tells nothing, and options that say nothing without test
    fires, by windows or at once.

    Raises:
        InputError: naming the option.
    """
    if options.test_fires != 0 and options.test_fires < 2:
        raise fail(expected="at least 2 test fires, or 0 for none", given=f"{options.test_fires}",
                   where="--test-fires", remedy="1000 is usual")
    if options.test_fires == 0:
        _check_alone("test fires", "--test-fires 0", {
            "--existing": options.place.existing is not None,
            f"--report {options.report}": options.report in ("full", "brief"),
            "--fires-per-ha-year": options.fires_per_ha_year is not None})


def check_judged_at_once(options: PlanOptions) -> None:
    """Refuses also what the report that is asked for would not tell of a plan that is made at once.

    Raises:
        InputError: naming the option.
    """
    check_judged(options)
    if options.report == "none":
        _check_alone("a report", "--report none", {
            "--existing": options.place.existing is not None})
    if options.report in ("none", "brief"):
        _check_alone("--report full", f"--report {options.report}", {
            "--fires-per-ha-year": options.fires_per_ha_year is not None})


def _check_alone(needed: str, where: str, given: dict[str, bool]) -> None:
    """Refuses what is given without what it needs."""
    for name, is_given in given.items():
        if is_given:
            raise fail(expected=f"{needed} together with {name}", given="none", where=where,
                       remedy="leave one of the two out")
