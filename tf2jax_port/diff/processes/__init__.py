"""Lanes in processes of their own."""
