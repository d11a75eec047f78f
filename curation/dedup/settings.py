"""Checks of settings that stages share: each raises ValueError with the name, the value and what is allowed."""

from __future__ import annotations

from typing import get_args


def check_choices(**settings: tuple[object, object]) -> None:
    """Each setting is (value, the Literal it must belong to)."""
    for name, (value, kind) in settings.items():
        allowed = get_args(kind)
        if value not in allowed:
            raise ValueError(f"{name} is {value!r}; choose one of {', '.join(allowed)}")


def check_ranges(**settings: tuple[int, int, int]) -> None:
    """Each setting is (value, lowest, highest), a whole number."""
    for name, (value, low, high) in settings.items():
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError(f"{name} is {value!r}; it must be a whole number from {low} to {high}")
