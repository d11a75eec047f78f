"""Trains quality classifiers: labelled texts in, a model and a held-out report out. No Spark."""
