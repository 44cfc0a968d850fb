"""The files of a code base, and a run over all of them."""
