"""Which of the user's lines is at fault, and a guess why."""
