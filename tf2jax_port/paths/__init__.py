"""Match gitignore patterns, exclude files, and find the files of modules."""
