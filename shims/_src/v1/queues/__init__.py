"""Provide queues of a graph, the threads that fill them, and the input pipelines of TensorFlow 1."""
