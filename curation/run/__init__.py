"""A run: plan of units, the fused pass over pages, corpus decisions, the books, and the folder it all lands in."""
