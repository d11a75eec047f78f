"""The shares that are asked for, from the settings and the sizes of the sources."""

from __future__ import annotations

import math
from collections.abc import Mapping

from curation.errors import MixtureError, did_you_mean
from curation.mixture.settings import Phase


def asked_shares(available: Mapping[str, int], phase: Phase) -> dict[str, float]:
    """Shares of a phase that sum to 1, in order of name.

    `sizes` with temperature T: proportional to tokens^(1/T) (Devlin 2018, multilingual BERT; T = 1/0.3 in mT5, Xue et
    al. 2021, https://arxiv.org/abs/2010.11934). `unimax`: even; with the cap on epochs that is the sampling of Chung
    et al. 2023, https://arxiv.org/abs/2304.09151.

    Raises MixtureError where a named source has no tokens, or none has.

    >>> asked_shares({"en": 900, "sw": 100}, Phase(name="main", budget_tokens=1, temperature=2.0))
    {'en': 0.75, 'sw': 0.25}
    """
    filled = sorted(name for name, tokens in available.items() if tokens > 0)
    if isinstance(phase.sources, str):
        if not filled:
            raise MixtureError("no source has tokens: run the token stage first")
        even = phase.sources == "unimax"
        raw = {name: 1.0 if even else float(available[name]) ** (1 / phase.temperature) for name in filled}
    else:
        raw = dict(sorted(phase.sources.items()))
    missing = [f"'{name}' has no tokens ({did_you_mean(name, filled)})" for name in raw if name not in filled]
    if missing:
        raise MixtureError(f"{'; '.join(missing)}: correct the name, or take it out of the mixture")
    total = math.fsum(raw.values())
    return {name: share / total for name, share in raw.items()}
