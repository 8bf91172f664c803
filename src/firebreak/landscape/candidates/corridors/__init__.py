"""Corridors that a map offers: least-cost routes between the places that a break can be tied to."""
