"""Single rules of the native library as entries, for tests: each calls what the engine calls."""
