"""Seeded generators of land, and maps whose best plan is known. No files."""
