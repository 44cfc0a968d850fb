"""Define the verdicts of a comparison, and the exit codes of the commands that compare."""

EQUAL, LIMITED, DIFFERENT = "equal", "limited", "different"
INCONCLUSIVE, ERROR = "inconclusive", "error"
NOT_REPLAYED = "not replayed"  # of `prove` only
VERDICTS = (EQUAL, LIMITED, DIFFERENT, INCONCLUSIVE, ERROR)
# The verdicts whose names in reports differ from those in files.
_SHOWN = {DIFFERENT: "not equal"}

EXIT_EQUAL, EXIT_DIFFERENT, EXIT_OTHER, EXIT_LIMITED, EXIT_INCONCLUSIVE = 0, 1, 2, 3, 4
EXIT_NOT_REPLAYED = 5
EXIT_CODES = {
    EQUAL: EXIT_EQUAL,
    DIFFERENT: EXIT_DIFFERENT,
    LIMITED: EXIT_LIMITED,
    INCONCLUSIVE: EXIT_INCONCLUSIVE,
    NOT_REPLAYED: EXIT_NOT_REPLAYED,
    ERROR: EXIT_OTHER,
}


def shown(verdict: str) -> str:
    """Return the name of a verdict in reports: `not equal` for `different`."""
    return _SHOWN.get(verdict, verdict)
