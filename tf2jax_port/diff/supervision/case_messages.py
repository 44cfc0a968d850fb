"""Define the message names between `supervisor` and the `case_program` that it starts."""

PLAN, REFUSED, STEP, SEEN, EXPLAINED = "plan", "refused", "step", "seen", "explained"
