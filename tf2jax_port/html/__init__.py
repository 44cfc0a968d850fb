"""The style sheet of every HTML page."""
