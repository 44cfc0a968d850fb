"""Write the public scorecard: the state of every symbol in every lane, as the tests found it."""
