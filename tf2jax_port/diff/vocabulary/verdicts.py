"""Define the verdicts of a comparison, and the exit codes of the commands that compare."""

EQUAL, LIMITED, DIFFERENT = "equal", "limited", "different"
INCONCLUSIVE, ERROR = "inconclusive", "error"
VERDICTS = (EQUAL, LIMITED, DIFFERENT, INCONCLUSIVE, ERROR)

EXIT_EQUAL, EXIT_DIFFERENT, EXIT_OTHER, EXIT_LIMITED, EXIT_INCONCLUSIVE = 0, 1, 2, 3, 4
EXIT_CODES = {
    EQUAL: EXIT_EQUAL,
    DIFFERENT: EXIT_DIFFERENT,
    LIMITED: EXIT_LIMITED,
    INCONCLUSIVE: EXIT_INCONCLUSIVE,
    ERROR: EXIT_OTHER,
}
