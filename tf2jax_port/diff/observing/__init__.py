"""Run all lanes on one case."""
