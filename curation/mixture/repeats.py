"""What repeated tokens are worth.

Source: Muennighoff et al. 2023, "Scaling Data-Constrained Language Models", https://arxiv.org/abs/2305.16264: the
effective tokens of U unique ones that are repeated R times (seen R + 1 times) are U + U R* (1 - exp(-R / R*)), with
R* = 15.39 fitted on C4. Up to 4 epochs that is within a few per cent of fresh tokens.
Reading: the paper repeats one data set as a whole; here the law is used for each source by itself.
"""

from __future__ import annotations

import math

REPEAT_SCALE = 15.387756  # R_D* of the paper: after so many repeats a further one is worth 1/e of fresh tokens


def effective_tokens(available: int, tokens: float) -> float:
    """Tokens of fresh text that `tokens` drawn from `available` are worth; `tokens` itself up to one epoch.

    >>> round(effective_tokens(100, 400)), round(effective_tokens(100, 4000)), effective_tokens(100, 70)
    (373, 1517, 70)
    """
    if tokens <= available:
        return tokens
    repeats = tokens / available - 1
    return available * (1 + REPEAT_SCALE * -math.expm1(-repeats / REPEAT_SCALE))
