"""Write the reference of TensorFlow's operators from the table, the docstrings and the rewriter."""
