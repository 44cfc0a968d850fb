"""Capture the calls of a code base's functions under TensorFlow, and replay them against its port."""
