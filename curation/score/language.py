"""Language identification by fastText's lid.176 (176 languages, ISO 639-1 labels where they exist)."""

from __future__ import annotations

from curation.models import find_model
from curation.page import Page
from curation.score.loading import LABEL, fasttext_model


def fasttext(pages: list[Page], *, model: str = "lid.176.ftz", max_chars: int = 100_000) -> list[tuple[str, float]]:
    """Label and probability of the main language of each page; ("und", 0.0) where there is no text.

    Source: Joulin et al. 2016, arXiv 1612.03651; model from https://fasttext.cc/docs/en/language-identification.html
    Reading: newlines become spaces and the ends are stripped, as fastText reads one line and a trailing newline changes
        its answer. The first `max_chars` code points decide (100,000: a page of that length is no longer in doubt).
    Differs: datatrove keeps a page when any wanted language passes its threshold; here the best label decides.
        lid.176.ftz can answer slightly above 1 (seen: 1.0001): put no upper bound on it.
    """
    texts = [page.text[:max_chars].replace("\n", " ").strip() for page in pages]
    told = [i for i, text in enumerate(texts) if text]
    answers: list[tuple[str, float]] = [("und", 0.0)] * len(pages)
    if told:
        labels, scores = fasttext_model(str(find_model(model))).predict([texts[i] for i in told], k=1)
        for i, label, score in zip(told, labels, scores, strict=True):
            if label:  # fastText answers nothing when no part of the text is known to it
                answers[i] = (label[0].removeprefix(LABEL), float(score[0]))
    return answers
