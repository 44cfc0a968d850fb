"""Run sessions in processes that may crash."""
