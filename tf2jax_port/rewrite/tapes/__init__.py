"""Blocks of gradient tapes that become functions."""
