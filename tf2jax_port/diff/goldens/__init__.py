"""Record the results of an original program in a file, and compare ports with it later.

The comparison does not need TensorFlow.
"""
