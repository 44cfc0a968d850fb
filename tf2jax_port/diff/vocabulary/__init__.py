"""The words of a comparison: lanes, stages, extras, reasons, verdicts."""
