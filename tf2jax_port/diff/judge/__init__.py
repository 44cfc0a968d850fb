"""Judge the differences between the lanes, and decide the verdict."""
