"""Measures: pure functions from a page to a number, with no bound inside. Bounds live in conf/rules and in recipes.

A recipe names a measure as `module.function`; what a module offers to recipes stands in its `__all__`. Every measure is
defined on the empty page, and its keyword-only settings are the places where published references disagree.
"""
