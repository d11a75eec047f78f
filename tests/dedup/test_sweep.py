"""The sweep against all pairs compared one by one, and what it does with stored signatures."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from curation.dedup.curve import candidate_probability
from curation.dedup.duplicates import minhash
from curation.dedup.form import form_words
from curation.dedup.sweep import LOWEST, Setting, parse_setting, sweep, try_setting
from curation.dedup.sweep_chart import sweep_chart
from curation.errors import InputError
from curation.page import Page
from curation.run.stored import from_texts, sampled_pairs

SETTINGS = [Setting(5, 14, 8), Setting(5, 28, 4), Setting(3, 9, 13)]


@pytest.fixture
def texts(random, make_text) -> list[str]:
    """60 texts, each with relatives at several similarities, and two that are too short."""
    found = ["", "two words"]
    for _ in range(60):
        words = make_text(120).split(" ")
        for changes in (0, 1, 3, 8):
            relative = list(words)
            for place in random.choice(120, size=changes, replace=False):
                relative[place] = f"x{len(found)}y{place}"
            found.append(" ".join(relative))
    return found


def batches(texts: list[str]):
    return lambda: (
        (np.arange(n, min(n + 50, len(texts))), pa.array(texts[n : n + 50])) for n in range(0, len(texts), 50)
    )


def all_pairs(texts: list[str], ngram: int) -> dict[tuple[int, int], float]:
    sets = [
        {tuple(words[k : k + ngram]) for k in range(len(words) - ngram + 1)} for words in map(form_words, texts)
    ]  # fmt: skip
    found = {}
    for one, other in combinations(range(len(texts)), 2):
        if (shared := len(sets[one] & sets[other])) and (j := shared / len(sets[one] | sets[other])) >= LOWEST:
            found[one, other] = j
    return found


def test_with_all_documents_as_sample_the_figures_are_those_of_all_pairs(texts):
    material = from_texts(batches(texts), SETTINGS)
    samples = sampled_pairs(material, count=10_000)
    for setting, outcome in zip(SETTINGS, sweep(SETTINGS, material.signed, samples, 0.8), strict=True):
        truth = all_pairs(texts, setting.ngram)
        _, pairs = samples[setting.ngram]
        found = dict(zip(zip(pairs.sampled.tolist(), pairs.other.tolist(), strict=True), pairs.jaccard, strict=True))
        assert found == pytest.approx({**truth, **{(b, a): j for (a, b), j in truth.items()}})
        stage = minhash(name="near", scope="global", ngram=setting.ngram, bands=setting.bands, rows=setting.rows)
        signed = material.signed[setting.ngram]
        keys = signed.values[:, : setting.bands * setting.rows].reshape(len(signed.ids), setting.bands, setting.rows)
        candidates = {
            (int(signed.ids[a]), int(signed.ids[b]))
            for a, b in combinations(range(len(signed.ids)), 2)
            if (keys[a] == keys[b]).all(axis=1).any()
        }
        similar = {pair for pair, j in truth.items() if j >= 0.8}
        assert outcome.pairs == len(candidates)
        assert outcome.precision == pytest.approx(len(candidates & similar) / len(candidates))
        assert outcome.recall == pytest.approx(len(candidates & similar) / len(similar))
        curve = [float(candidate_probability(truth[pair], setting.bands, setting.rows)) for pair in similar]
        assert outcome.recall_expected == pytest.approx(np.mean(curve))
        if signed.values.shape[1] == setting.bands * setting.rows:
            pages = [Page(text, doc_id=n) for n, text in enumerate(texts)]
            decision = stage.local_removals(pa.Table.from_batches([stage.keys(_batch(pages), "u")]))
            assert outcome.removed == len(decision.removals)
            assert outcome.clusters == len(decision.clusters["cluster_id"].unique())
            assert outcome.largest == max(decision.clusters["cluster_size"].to_pylist())


def test_a_sample_estimates_the_pairs_of_all(texts):
    material = from_texts(batches(texts), SETTINGS[:1])
    (every,) = sweep(SETTINGS[:1], material.signed, sampled_pairs(material, 10_000), 0.8)
    (some,) = sweep(SETTINGS[:1], material.signed, sampled_pairs(material, 100), 0.8)
    assert some.removed == every.removed
    assert some.pairs == pytest.approx(every.pairs, rel=0.25)


def test_copies_in_another_snapshot_are_out_of_scope(texts):
    material = from_texts(batches(texts[:6]), SETTINGS[:1])
    samples = sampled_pairs(material, 100)[5]
    signed = material.signed[5]
    apart = signed._replace(salt=np.arange(len(signed.ids), dtype=np.uint64))
    outcome = try_setting(SETTINGS[0], apart, *samples, 0.8)
    assert (outcome.pairs, outcome.removed, outcome.recall, outcome.rates) == (0, 0, None, ())


def test_the_picture_shows_each_setting_and_is_one_valid_svg(texts):
    from xml.etree import ElementTree

    material = from_texts(batches(texts), SETTINGS)
    outcomes = sweep(SETTINGS, material.signed, sampled_pairs(material, 50), 0.8)
    svg = sweep_chart(outcomes, 0.8)
    ElementTree.fromstring(svg)
    assert all(f"{setting}: removes" in svg for setting in SETTINGS)


def test_curves_that_coincide_and_dots_of_one_bin_can_be_told_apart(texts):
    import re

    twice = [Setting(5, 14, 8), Setting(3, 14, 8)]
    material = from_texts(batches(texts), twice)
    svg = sweep_chart(sweep(twice, material.signed, sampled_pairs(material, 1000), 0.8), 0.8)
    curves = re.findall(r'<path d="M[^"]+" fill="none"[^>]+>', svg)
    assert ["dasharray" in curve for curve in curves] == [False, True]
    dots = re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', svg)
    assert len(dots) == len(set(dots)) > 4


@pytest.mark.parametrize("text", ["14", "14x", "0x8", "5:14x8x2", "x", "a:1x2"])
def test_what_is_no_setting_is_refused_with_an_example(text):
    with pytest.raises(InputError, match="such as 14x8 or 13:9x13"):
        parse_setting(text)


def _batch(pages):
    from curation.document import to_batch

    return to_batch(pages)
