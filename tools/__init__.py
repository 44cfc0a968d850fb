"""What the Makefile runs: not part of the distribution."""
