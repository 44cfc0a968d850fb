"""Goldens: what an original gave, in one file, to be replayed where TensorFlow is not.

From the bottom: `safetensors_file` (bytes), `document` (what the file says, in JSON), `golden` (the
observations of every case), `record` and `replay` (making one, and holding a port against it),
`changes` (two of them side by side), `command` (the command line).
"""
