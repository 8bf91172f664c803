"""`firebreak landscape`: info, generate, convert, fetch, lines. Formats of files are
in the package `landscape`."""
