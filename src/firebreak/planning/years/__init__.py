"""Plans over years: what to build and what to keep up when, and what that saves."""
