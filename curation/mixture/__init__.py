"""Mixtures: how many tokens of each source a training run sees, how often, and in which phase.

settings.py   what may be asked for
shares.py     shares of each source: explicit, by size with a temperature, or even (UniMax)
fill.py       whole tokens within caps
phases.py     several phases that draw on the same sources
repeats.py    what repeated tokens are worth
solve.py      all of it: mixture.json
preset.py     published mixtures by name
propose.py    candidate mixtures for small models
measured.py   their losses, read from a file
laws.py       loss as a function of shares
fit.py        which law holds, the best mixture, and how sure that is
"""

from __future__ import annotations

from curation.mixture.settings import Limit, MixtureSettings, Phase
from curation.mixture.solve import check_names, shares_of_run, solve

__all__ = ["Limit", "MixtureSettings", "Phase", "check_names", "shares_of_run", "solve"]
