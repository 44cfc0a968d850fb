"""Find the files of a code base and run the rewriter over them."""
