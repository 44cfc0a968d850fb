"""Define the messages that `supervisor` and its child process `case_program` exchange."""

PLAN, REFUSED, STEP, SEEN, EXPLAINED = "plan", "refused", "step", "seen", "explained"
