"""Attribute a located difference to a line of the user's code and guess its cause."""
