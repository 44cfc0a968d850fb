"""Judge the functions of a code base by their replayed calls, and report them."""
