"""Search for the first operation of the port that an injected value of the original fixes."""
