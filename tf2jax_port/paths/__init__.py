"""Match gitignore patterns, exclude files, find the files of modules, and replace files."""
