"""Decontamination: benchmark items are looked for in the corpus, reported with evidence, and cut or dropped.

benchmarks -> items -> index      what must not be in the corpus: read, cut into n-grams, hashed
scan -> hits                      page side: which n-grams of the index a page holds, and where
judge -> tables | local           what follows from the hits of a page, of an item, of all
stages                            the corpus stage that a recipe names
planted, verify                   proof that it works before a run, and that it worked after one
"""
