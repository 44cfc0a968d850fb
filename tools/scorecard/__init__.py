"""The public scorecard: what every symbol does in every lane, as the tests found it."""
