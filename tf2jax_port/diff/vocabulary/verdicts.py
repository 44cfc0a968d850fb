"""Define the verdicts of a comparison, and the exit codes of the commands that compare."""

EQUAL, LIMITED, DIFFERENT = "equal", "limited", "different"
INCONCLUSIVE, ERROR = "inconclusive", "error"
VERDICTS = (EQUAL, LIMITED, DIFFERENT, INCONCLUSIVE, ERROR)

EXIT_EQUAL, EXIT_DIFFERENT, EXIT_OTHER = 0, 1, 2
