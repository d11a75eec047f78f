"""Quality by fastText: how much a page reads like the texts that a model was taught to prefer.

The model comes from `curate train-quality`, or from elsewhere if it names its labels.
"""

from __future__ import annotations

from curation.errors import ModelError, did_you_mean
from curation.models import find_model
from curation.page import Page
from curation.score.loading import LABEL, fasttext_model, one_line
from curation.score.ratings import BEST, round_rating

GOOD, OTHER = "hq", "cc"  # labels of DCLM's model, and of ours


def fasttext(pages: list[Page], *, model: str, label: str = GOOD, rounded: bool = False) -> list[tuple[float]]:
    """Probability of `label` for each page; of a model whose labels are ratings, the rating to be expected.

    Source: DCLM (arXiv 2406.11794, section 4.4): fastText on uni- and bigrams, labels hq and cc, the score of hq.
    Reading: the line given to fastText is the text with its lines joined by spaces, as in DCLM's code.
        A page without text scores 0. With labels 0 to 5 the score is the sum of rating x probability, 0 to 5;
        `rounded` makes it a whole number, as FineWeb-Edu (arXiv 2406.17557) does before it keeps 3 and more.
    Differs: DCLM takes 1 - p where cc is the best label; this reads p of hq itself, the same for two labels.
    """
    scorer = fasttext_model(str(find_model(model)))
    names = [name.removeprefix(LABEL) for name in scorer.labels]
    weights = label_weights(names, label, model)
    if rounded and not rates(names):
        raise ModelError(f"model '{model}' has the labels {', '.join(sorted(names))}: only ratings can be rounded")
    lines = [one_line(page.text) for page in pages]
    told = [i for i, line in enumerate(lines) if line]
    scores = [0.0] * len(pages)
    if told:
        labels, shares = scorer.predict([lines[i] for i in told], k=-1)
        for i, found, share in zip(told, labels, shares, strict=True):
            pairs = zip(found, share, strict=True)
            scores[i] = float(sum(weights[name.removeprefix(LABEL)] * part for name, part in pairs))
    return [(round_rating(score) if rounded else score,) for score in scores]


def rates(labels: list[str]) -> bool:
    """Whether a model was trained on ratings: every label a whole number from 0 to 5.

    >>> rates(["0", "3", "5"]), rates(["hq", "cc"])
    (True, False)
    """
    return all(label in map(str, range(BEST + 1)) for label in labels)


def label_weights(labels: list[str], label: str, model: str) -> dict[str, float]:
    """What each label's probability counts in the score: 1 for the wanted one, or the rating it stands for.

    Raises ModelError where the model knows no such label.

    >>> label_weights(["cc", "hq"], "hq", "m.bin")
    {'cc': 0.0, 'hq': 1.0}
    """
    if rates(labels):
        return {name: float(name) for name in labels}
    if label not in labels:
        raise ModelError(f"model '{model}' has no label '{label}'; {did_you_mean(label, labels)}")
    return {name: float(name == label) for name in labels}
