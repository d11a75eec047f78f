"""The loss that a model of some size reaches on some tokens, and the size that is best for a budget of compute.

    L = E + A / N^alpha + B / D^beta

Sources: Hoffmann et al. 2022, arXiv 2203.15556, approach 3, as printed; and its data fitted again by Besiroglu et al.
2024, arXiv 2404.10102, who found the printed coefficients to be rounded and the fit to have stopped early.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LossLaw:
    """Coefficients of L(N, D): parameters N, tokens D, loss in nats a token."""

    floor: float  # E
    a: float
    alpha: float
    b: float
    beta: float

    def loss(self, parameters: float, tokens: float) -> float:
        """Nats a token.

        >>> round(REFITTED.loss(70e9, 1.4e12), 2)
        1.97
        """
        return self.floor + self.a / parameters**self.alpha + self.b / tokens**self.beta

    def optimal_size(self, flops: float) -> tuple[float, float]:
        """(parameters, tokens) with the least loss among those that cost `flops` = 6 N D.

        The budget of Gopher (5.76e23, Hoffmann et al.) is best spent on a model of the size of Chinchilla:

        >>> round(REFITTED.optimal_size(5.76e23)[0] / 1e9)
        72
        """
        both = self.alpha + self.beta
        scale = (self.alpha * self.a / (self.beta * self.b)) ** (1 / both)
        parameters = scale * (flops / 6) ** (self.beta / both)
        return parameters, flops / 6 / parameters


PRINTED = LossLaw(1.69, 406.4, 0.34, 410.7, 0.28)
REFITTED = LossLaw(1.8172, 482.01, 0.3478, 2085.43, 0.3658)
