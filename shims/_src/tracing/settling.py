"""React to the run-time checks of a finished run: grow a capacity, raise, or trace again."""

from __future__ import annotations

from collections.abc import Iterable

from shims._src.errors import errors
from shims._src.lowering.report import Condition, Exceeded, Invalid, Misjudged
from shims._src.sizes import room
from shims._src.sizes.sites import Settled, Site, SiteKind


def settle_reports(
    found: Iterable[tuple[Condition, int]],
    buckets: dict[Site, int],
    settled: Settled,
    *,
    grow: bool = True,
) -> bool:
    """React to the run-time checks of a finished run, and return whether the program must run again.

    Args:
      found: the checks with their result codes.
      buckets: the capacities of sizes and bounds, which are raised in place.
      settled: what the next trace takes into account; changed in place.
      grow: whether capacities may be raised.

    Raises:
      InvalidArgumentError: operands are invalid; a check may specify another class.
      CapacityError: a stated bound was exceeded, or a size outgrew a bucket that must not grow.
    """
    again = False
    bad = []
    for condition, code in found:
        if code < 0:
            continue
        match condition:
            case Invalid(text, line, error):
                bad.append(error(_with_line(text, line, code)))
            case Misjudged(is_measured=True):
                again = True
            case Misjudged(name) if settled.pins.get(name) != code:
                again = True
                _pin(condition, code, settled, bad)
            case Misjudged():
                pass
            case Exceeded(site) if grow and site.grows:
                capacities = settled.buffers if site.kind is SiteKind.BUFFER else buckets
                capacities[site] = next_bucket(code)
                again = True
            case Exceeded():
                raise _capacity_error(condition, code)
    if bad and not again:  # an overflow may have made other values wrong
        raise bad[0]
    return again


def _pin(condition: Misjudged, code: int, settled: Settled, bad: list[errors.OpError]) -> None:
    """Replace a size by a constant in the next trace.

    A constant that comes back is that of one row among rows of other sizes, which no constant stands for.
    """
    name = condition.name
    if name in settled.pins:
        settled.problems += bad  # of a row of the size that was tried
    elif condition.text:
        settled.problems.append(errors.InvalidArgumentError(condition.text))
    if (name, code) in settled.tried:
        problem = f"the size `{name}` differs from row to row, but the program needs a single number for all rows."
        given = errors.InvalidArgumentError(errors.message("", problem, at=condition.line))
        raise (settled.problems or [given])[-1]
    settled.tried.add((name, code))
    settled.pins[name] = code


def without_invalid(found: Iterable[tuple[Condition, int]]) -> list[tuple[Condition, int]]:
    """Drop the checks that operands are valid, for a run whose arguments are only examples."""
    return [(c, code) for c, code in found if not isinstance(c, Invalid)]


def refutes_measurements(found: Iterable[tuple[Condition, int]]) -> bool:
    """Return whether a size differs from the size assumed from the data of an earlier call."""
    return any(
        code >= 0 and isinstance(condition, Misjudged) and condition.is_measured
        for condition, code in found
    )


def _with_line(text: str, line: str, code: int) -> str:
    """Insert the user's line and the number found at run time into a message."""
    head, _, rest = text.replace(errors.NUMBER, str(code)).partition("\n")
    kept = [part for part in rest.split("\n") if part and not part.lstrip().startswith("At:")]
    return errors.with_place("\n".join([head, *kept]), line)


def _capacity_error(condition: Exceeded, needed: int) -> errors.CapacityError:
    return errors.CapacityError(
        errors.message(
            "bounded" if condition.site.kind is SiteKind.BOUND else "",
            "a data-dependent size exceeds its capacity.",
            required=f"capacity {needed}",
            received=f"capacity {condition.capacity}",
            at=condition.line,
            do=f'raise the bound to {needed}, or use `shims.function(overflow="grow")`, which raises the bound '
            "itself",
        )
    )


def next_bucket(needed: int) -> int:
    """Return the smallest power of two that is at least `needed`, or the largest int32."""
    return min(1 << max(int(needed) - 1, 0).bit_length(), max(needed, room.MOST_SLOTS))
