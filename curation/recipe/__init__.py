"""Recipes (what), paths files (where) and cluster files (how big), and their strict loading."""
