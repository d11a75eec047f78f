"""Models that score pages. A scorer takes a list of pages and returns one tuple of values for each, in order."""
