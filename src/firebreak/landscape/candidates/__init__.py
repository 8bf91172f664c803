"""Lines on which a fire may be held, found on a map, and how well each of them may be held.
Plans choose among them elsewhere (`planning.patterns`)."""
