"""Temperature and UniMax against the papers' own definitions; the value of repeats against the published law."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.mixture import MixtureSettings, solve
from curation.mixture.repeats import REPEAT_SCALE, effective_tokens

SIZES = st.dictionaries(st.sampled_from(["de", "en", "fr", "sw", "yo"]), st.integers(1, 10**12), min_size=1)


def unimax(sizes, budget, epochs):
    """Algorithm 1 of Chung et al. 2023, https://arxiv.org/abs/2304.09151, in floating point."""
    left, found = float(budget), {}
    for position, name in enumerate(sorted(sizes, key=sizes.get)):
        even = left / (len(sizes) - position)
        found[name] = sizes[name] * epochs if even > sizes[name] * epochs else even
        left -= found[name]
    return found


@settings(max_examples=200, deadline=None)
@given(SIZES, st.data())
def test_unimax_is_the_algorithm_of_the_paper(sizes, data):
    epochs = data.draw(st.sampled_from([1, 4, 10]))
    budget = data.draw(st.integers(1, epochs * sum(sizes.values())))
    found = solve(sizes, MixtureSettings(budget_tokens=budget, max_epochs=epochs, sources="unimax"))["sources"]
    for name, tokens in unimax(sizes, budget, epochs).items():
        assert found[name]["tokens"] == pytest.approx(tokens, rel=1e-9, abs=1)


@settings(max_examples=100, deadline=None)
@given(SIZES, st.floats(1, 100))
def test_temperature_raises_small_sources_as_the_definition_says(sizes, temperature):
    found = solve(sizes, MixtureSettings(budget_tokens=1, temperature=temperature, max_epochs=10))["sources"]
    total = math.fsum(tokens ** (1 / temperature) for tokens in sizes.values())
    for name, tokens in sizes.items():
        assert found[name]["share_asked"] == pytest.approx(tokens ** (1 / temperature) / total)


def test_mt5_sampling_of_a_large_and_a_small_language():
    """Alpha 0.3 (Xue et al. 2021): a language with a thousandth of the text gets 11 % of the tokens, not 0.1 %."""
    found = solve({"en": 10**12, "sw": 10**9}, MixtureSettings(budget_tokens=10**9, temperature=1 / 0.3))
    assert found["sources"]["sw"]["share"] == pytest.approx(1 / (1 + 1000**0.3))
    assert found["sources"]["sw"]["share"] == pytest.approx(0.112, abs=0.001)


def test_four_epochs_are_nearly_as_good_as_fresh_and_forty_are_not():
    """Muennighoff et al. 2023: up to 4 epochs nearly no loss; at 40 repeating is worth nothing more."""
    assert effective_tokens(100, 400) / 400 > 0.93
    assert effective_tokens(100, 1600) / 1600 == pytest.approx(0.66, abs=0.02)  # 16 epochs: past the bend
    gained = effective_tokens(100, 6000) - effective_tokens(100, 4000)
    assert gained / 2000 < 0.06
    assert effective_tokens(100, 10**9) == pytest.approx(100 * (1 + REPEAT_SCALE))


@given(st.integers(1, 10**12), st.floats(0, 1000), st.floats(0, 1000))
def test_more_tokens_are_worth_more_and_never_more_than_fresh(available, first, more):
    few, many = effective_tokens(available, first * available), effective_tokens(available, (first + more) * available)
    assert few <= many * (1 + 1e-12)
    assert many <= (first + more) * available * (1 + 1e-12)


@pytest.mark.parametrize(("tokens", "worth"), [(0, 0), (99, 99), (100, 100), (101, pytest.approx(100.97, abs=0.03))])
def test_up_to_one_epoch_nothing_is_repeated(tokens, worth):
    assert effective_tokens(100, tokens) == worth


def test_value_of_repeats_stands_in_the_mixture():
    shares = {"web": 0.92593, "wiki": 0.07407}
    found = solve({"web": 1000, "wiki": 10}, MixtureSettings(budget_tokens=540, sources=shares))
    assert found["sources"]["wiki"]["tokens"] == 40
    assert found["sources"]["wiki"]["effective_tokens"] == 37
    assert found["sources"]["web"]["effective_tokens"] == 500
    assert found["effective_tokens"] == 537
