"""What an expression is: its dtype, its size, a list, a ragged tensor."""
