"""Plan the order in which the files of a code base are migrated."""
