"""Bounds that both sides of a stage keep, and checks of the settings that stages share.

Each check raises ValueError that names the setting, its value and what is allowed.
"""

from __future__ import annotations

from typing import get_args

HUBS = 4  # hubs tried in a bucket whose members are not alike; see `links.verified_links`
MOST_STARS = 12  # stars one cluster is split into; what is left then stays, and is counted in a warning


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


def check_score(keep: str, score: str | None) -> None:
    """keep=best_score and a score belong together."""
    if (keep == "best_score") != (score is not None):
        raise ValueError(
            f"keep is {keep!r} and score is {score!r}; keep: best_score needs score: <name of an entry of scores>, "
            "and no other policy takes one"
        )


def check_verification(verify: str, store: str, split_giant: bool, min_similarity: float) -> None:
    """What `minhash` compares must be stored, and its threshold a similarity."""
    if isinstance(min_similarity, bool) or not 0.0 < min_similarity <= 1.0:
        raise ValueError(f"min_similarity is {min_similarity!r}; it must lie above 0 and be at most 1")
    wants = "verify is 'estimate'" if verify == "estimate" else "split_giant is true" if split_giant else ""
    if store == "bands" and wants:
        raise ValueError(f"{wants} and store is 'bands'; an estimate needs store: signatures")
    if split_giant and verify != "none":
        raise ValueError(f"split_giant is true and verify is {verify!r}, which splits every cluster; leave split_giant")
