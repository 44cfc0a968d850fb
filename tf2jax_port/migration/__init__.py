"""In which order the files of a code base are best migrated."""
