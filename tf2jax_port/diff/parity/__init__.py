"""TensorFlow's graphs, TensorFlow's XLA and JAX side by side, operator by operator from the table.

From the bottom: `points` (the table's cases as arrays), `original_side`, `port_side` (running them),
`tolerance` (when two results are the same), `answers` (what a lane gave, also in a file), `worker` (the
program that runs TensorFlow's lanes, which can crash), `operators` (all of it, and what was expected),
`showing`, `command`.
"""
