"""What a lowered program can find out only while it runs, and tells its caller."""

from __future__ import annotations

import dataclasses
from typing import Any

from shims._src.errors import errors


@dataclasses.dataclass(frozen=True, eq=False)
class Report:
    """One run-time condition.

    Attributes:
      kind: `capacity` (a size outgrew its bucket), `pin` (an assumption about a fresh size does
        not hold), `invalid` (operands that TensorFlow refuses).
      site: the dimension variable, or the text of the message.
      code: int32 scalar; -1 when all is well, else the needed or actual count.
      capacity: for `capacity`, the count that would have fitted.
      line: the user's line.
      error: for `invalid`, the class of the error.
    """

    kind: str
    site: str
    code: Any
    capacity: int = 0
    line: str = ""
    error: type[errors.OpError] = errors.InvalidArgumentError

    def describe(self) -> tuple[str, str, int, str, type[errors.OpError]]:
        """The static part."""
        return self.kind, self.site, self.capacity, self.line, self.error
