"""Apply the rules of Keras that concern more than one reference of a file."""
