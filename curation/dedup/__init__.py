"""Deduplication: which documents are copies of which, decided over the whole corpus without moving a text.

form        the comparison form of a text, and its words
folding     the same over UTF-8 bytes, compiled
kernel      Arrow text column -> MinHash signatures, exact keys
bands       signatures -> band keys
curve       how likely a pair becomes a candidate; the best (bands, rows)
links       band keys -> links between documents, verified where wanted
components  links -> clusters
survivors   which member of a cluster stays
stars       clusters -> what is alike enough to the one that stays
stages      what a corpus stage is: keys of a page, removals of a corpus
duplicates  the stages `minhash` and `exact`
tables      their Spark side;  local, local_links, local_stars: the same on Arrow tables, without a JVM
giants      clusters too large to be copies
rehydration how often a survivor is repeated in training, by the size of its cluster
sweep       other bands and rows tried on stored signatures;  true_pairs: the truth about a sample;  sweep_chart
edited      pairs of known similarity
settings    bounds and checks of settings

Parts of documents that repeat, cut out of them:

pieces        lines, paragraphs, spans of sentences: places and keys
placed_words  words with hashes and places, compiled
winnowing     fingerprints and windows of words
cutting       the corpus stages;  repeats: what a recipe names
cut_tables    their Spark side;  cut_local: the same without a JVM
cuts          ranges taken out of a text
"""
