"""Deduplication: which documents are copies of which, decided over the whole corpus without moving a text.

form        the comparison form of a text, and its words
folding     the same over UTF-8 bytes, compiled
kernel      Arrow text column -> MinHash signatures, exact keys
bands       signatures -> band keys
curve       how likely a pair becomes a candidate; the best (bands, rows)
components  links -> clusters
survivors   which member of a cluster stays
stages      the corpus stages `minhash` and `exact`: keys of a page, removals of a corpus
tables      their Spark side;  local: the same on Arrow tables, without a JVM
settings    checks of settings

Parts of documents that repeat, cut out of them:

pieces        lines, paragraphs, spans of sentences: places and keys
placed_words  words with hashes and places, compiled
winnowing     fingerprints and windows of words
cutting       the corpus stages;  repeats: what a recipe names
cut_tables    their Spark side;  cut_local: the same without a JVM
cuts          ranges taken out of a text
"""
