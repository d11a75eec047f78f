"""Deduplication of rows that are text already: Parquet or JSON lines in, the same rows without the copies out.

columns  which columns of a file mean what
rows     the rows of a split, and which of them stay
worker   what a Spark task does with one unit: keys first, output when the stages have decided
removed  the table of removals, in terms of files and rows
run      all of it in order
"""
