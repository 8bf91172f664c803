"""Plans over years: what to build and what to maintain when, and what that saves.
A plan of one year is made by the methods in the folders beside."""
