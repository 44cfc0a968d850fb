"""Define the terms of a comparison: lanes, stages, optional parts, reasons, verdicts."""
