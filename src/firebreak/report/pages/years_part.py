"""The part of a plan's report that tells what to build and what to keep up when."""

from firebreak.planning.output.year_tables import spent
from firebreak.planning.years.judged import SCHEDULE_FIRES, YearsResult, discount_factors
from firebreak.planning.years.schedule import BUILD_ONCE
from firebreak.report.figures.plan_figures import amount
from firebreak.report.pages import html

MOST_NUMBERS = 12
YEARS_CAPTION = ("Above: the breaks of the schedule that is kept, and of building once, by what is "
                 "done with them in the year, else by what has become of them. Below: the mean "
                 "loss of a fire in each year, with 95 % bands, and what each year costs.")


def years_part(found: YearsResult, currency: str) -> str:
    """The schedules beside one another, and the one that is kept year by year."""
    rows, discounted = [], ", discounted," if found.discount_rate else ""
    for name, own in found.schedules.items():
        saved = found.saved[name]
        more = ("" if name == BUILD_ONCE.name else
                f"{saved.more:+.1%} ({saved.more_low:+.1%} to {saved.more_high:+.1%})")
        rows.append([name, amount(spent(own)), amount(float(own.kept.sum() + own.again.sum())),
                     f"{saved.reduction:.1%} ({saved.low:.1%} to {saved.high:.1%})", more])
    table = html.table(
        ["schedule", f"spent, {currency}", "of it on what stands", "reduction over all years",
         f"more than {BUILD_ONCE.name}"], rows,
        f"Mean over the years{discounted} on {found.test_fires:,} test fires, with 95 % intervals; "
        "the last column is paired by fire. Each year burns with every segment in the state of its "
        "age.",
        list(found.schedules).index(found.chosen))
    kept = found.schedules[found.chosen]
    by_year = [[year, *(_numbers(numbers) for numbers in done),
                amount(float(kept.built[k] + kept.kept[k] + kept.again[k])),
                f"{found.saved[found.chosen].by_year[k]:.1%}"]
               for k, (year, done) in enumerate(zip(found.years, kept.done, strict=True))]
    why = ("no other schedule is told apart as better" if found.chosen == BUILD_ONCE.name
           else "it saves most")
    return html.paragraph(
        f"{found.chosen} is kept: {why} on {SCHEDULE_FIRES} fires of their own, which neither the "
        "plan nor the table below has seen.") + table + html.table(
        ["year", "build", "keep up", "treat again", f"spent, {currency}", "reduction"], by_year,
        f"What {found.chosen} does: segments by their number in build order.") + html.listing([
            "Assumed: years are independent, fuel outside breaks stays as it is, and a fire that "
            f"burns a break changes neither its age nor its fuel. {discount_words(found)}",
            "The plan was made for breaks in their first year and for all of the money."])


def discount_words(found: YearsResult) -> str:
    """What a later year counts."""
    if not found.discount_rate:
        return "Losses of all years count alike."
    last = discount_factors(found.discount_rate, len(found.years))[-1]
    return (f"Losses are discounted by {found.discount_rate:.3g} a year: one of the last year "
            f"counts {last:.2f} of one of the first. Money is not discounted.")


def _numbers(numbers: list[int]) -> str:
    """Segments by build order, a long list in short."""
    if not numbers:
        return ""
    names = [str(k + 1) for k in numbers[:MOST_NUMBERS]]
    more = "" if len(numbers) <= MOST_NUMBERS else f" and {len(numbers) - MOST_NUMBERS} more"
    return ", ".join(names) + more
