"""Run lanes in separate processes."""
