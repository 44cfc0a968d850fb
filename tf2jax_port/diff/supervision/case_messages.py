"""Define the names of the messages that `supervisor` and its child `case_program` exchange."""

PLAN, REFUSED, STEP, SEEN, EXPLAINED = "plan", "refused", "step", "seen", "explained"
