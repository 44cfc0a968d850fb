"""Define the result of planting faults: how many the cases notice, and which they do not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Missed:
    """A planted fault that no case notices.

    Attributes:
      kind: what was planted: `` `>=` for `>` ``.
      place: the port's line, `model.py:12`.
      text: the source text of the line.
      needs: what an input needs to notice it; empty if that is not known.
    """

    kind: str
    place: str
    text: str
    needs: str


@dataclass(frozen=True, slots=True)
class Strength:
    """The planted faults that the cases of a comparison notice or miss.

    Attributes:
      planted: the number of planted faults that ran in some case.
      noticed: the number of them that change an output of some case.
      missed: the others.
      unreached: sizes and lines that no case reaches, each as a sentence.
      skipped: the number of faults that were not planted because time ran out.
      added: the number of cases that a search added; `None` if there was no search.
    """

    planted: int
    noticed: int
    missed: tuple[Missed, ...]
    unreached: tuple[str, ...]
    skipped: int = 0
    added: int | None = None

    @property
    def sentence(self) -> str:
        """The count in one sentence."""
        return f"{self.noticed} of {self.planted} planted faults change the output of at least one case"


def lines(found: Strength, most: int = 12) -> list[str]:
    """Return the lines of text that describe the result, with at most `most` missed faults."""
    told = [found.sentence]
    for one in found.missed[:most]:
        needs = f"; to detect it, a case needs {one.needs}" if one.needs else ""
        told += [f"not noticed: {one.kind}{needs}", f"  {one.place}  {one.text}"]
    if len(found.missed) > most:
        told.append(f"and {len(found.missed) - most} more that no case detects")
    told += found.unreached
    if found.skipped:
        told.append(f"{found.skipped} more were not planted, because the time limit was reached")
    if found.added is not None:
        told.append(f"the search added {found.added} cases")
    return told
