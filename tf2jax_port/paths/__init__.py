"""Handle paths: gitignore patterns, exclusion of files, files of modules."""
