"""Write the page of the results: the table, and the reasons by how many programs they stop."""

from __future__ import annotations

import pathlib
import string
import tomllib

from tools.public_programs import cells
from tools.public_programs.comparing import Verdict
from tools.public_programs.programs import Program, listed, verdict

PAGE = pathlib.Path("docs/tf2_programs.md")
_REASONS = pathlib.Path(__file__).with_name("reasons.toml")
_MARK = "<!-- What follows is written by python -m tools.public_programs. -->\n"
_HEAD = f"| program | lines | cells | values | difference | result |\n|{'---|' * 6}"


def write(checkouts: pathlib.Path) -> None:
    """Write everything below the mark of the page, from the results that are kept."""
    programs = listed()
    verdicts = {p: verdict(p, checkouts) for p in programs}
    unequal = {
        p.name for p, v in verdicts.items() if not isinstance(v, str) and not _counts_as_equal(v)
    }
    reasons = tomllib.loads(_REASONS.read_text())["reason"]
    for reason in reasons:
        reason["programs"] = [name for name in reason["programs"] if name in unequal]
    reasons = [reason for reason in reasons if reason["programs"]]
    reasons.sort(key=lambda reason: -len(reason["programs"]))
    letters: dict[str, list[str]] = {}
    for letter, reason in zip(string.ascii_lowercase, reasons, strict=False):
        for name in reason["programs"]:
            letters.setdefault(name, []).append(letter)
    rows = [row(p, verdicts[p], checkouts, ", ".join(letters.get(p.name, []))) for p in programs]
    told = [
        f"({letter}) *{_count(len(reason['programs']), 'program')}.* {reason['text'].strip()}"
        for letter, reason in zip(string.ascii_lowercase, reasons, strict=False)
    ]
    parts = [
        _counts([v for v in verdicts.values() if isinstance(v, Verdict)]),
        "\n".join([_HEAD, *rows]),
        "## Why a program stops or differs",
        *told,
    ]
    above = PAGE.read_text().partition(_MARK)[0]
    PAGE.write_text(above + _MARK + "\n" + "\n\n".join(parts) + "\n")


def row(program: Program, found: Verdict | str, checkouts: pathlib.Path, letter: str = "") -> str:
    """Return a program's row of the table.

    Args:
      program: the program.
      found: its result.
      checkouts: the folder of the checkouts.
      letter: those of the reasons why it is not equal, in place of its errors.
    """
    path = program.source(checkouts)
    lines = sum(len(c.splitlines()) for c in cells.cells_of(path, "tensorflow"))
    counted, told = "| | |", found
    if isinstance(found, Verdict):
        ran = f"{found.cells} of {found.total}"
        counted, told = f"{ran} | {found.values} | {found.difference:.0e}", _told(found, letter)
    return f"| [{program.name}]({program.address}) | {lines} | {counted} | {told} |"


def _counts(ended: list[Verdict]) -> str:
    """Return the sentences that count the results."""
    same = sum(map(_counts_as_equal, ended))
    within = same - sum(v.is_equal for v in ended)
    whole = [v for v in ended if v.cells == v.total]
    return (
        f"Of {len(ended)} programs, {same} are equal ({within} of them within TensorFlow's own spread). Of the "
        f"{len(whole)} programs whose cells all run under TensorFlow, {sum(map(_counts_as_equal, whole))} give equal results."
    )


def _counts_as_equal(found: Verdict) -> bool:
    return found.is_equal or found.is_within_spread


def _told(found: Verdict, letter: str) -> str:
    """Return the result of a program in words."""
    reason = f" ({letter})" if letter else ""
    told = []
    if found.failed and letter:
        numbers = ", ".join(str(n) for n, _ in found.failed)
        told = [f"stops in {'cells' if len(found.failed) > 1 else 'cell'} {numbers}{reason}"]
    elif found.failed:
        told = [
            f"cell {n}: {e[0]}: {_first_line(e[1])[:150]} ({e[2].strip()[:60]})"
            for n, e in found.failed
        ]
    apart = [
        f"{f'`{a.name}`' if a.name else 'last line'} in cell {a.cell} (difference {a.difference:.0e}"
        f"{f', spread {a.spread:.0e}' if a.spread else ''})"
        for a in found.apart
    ]
    if apart:
        within = found.is_within_spread
        start = "equal within TensorFlow's own spread: " if within else "differs: "
        told.append(start + ", ".join(apart) + ("" if within or told else reason))
    return "; ".join(told).replace("|", "\\|") or "equal"


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
