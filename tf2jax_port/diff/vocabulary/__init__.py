"""Define the vocabulary of a comparison: lanes, stages, extras, reasons, verdicts."""
