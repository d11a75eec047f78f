"""Mixtures: shares sum to 1, no cap is broken, the budget is met or refused with the shortfall."""

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from curation.errors import MixtureError
from curation.mixture import MixtureSettings, solve

SIZES = st.dictionaries(st.sampled_from(["web", "wiki", "code", "books", "math"]), st.integers(1, 10**12), min_size=1)


@settings(max_examples=100, deadline=None)
@given(SIZES, st.data())
def test_budget_is_met_within_all_caps_or_the_shortfall_is_named(available, data):
    raw = {name: data.draw(st.integers(1, 1000)) for name in available}
    shares = {name: weight / sum(raw.values()) for name, weight in raw.items()}
    wanted = MixtureSettings(
        budget_tokens=data.draw(st.integers(1, 10**13)),
        max_epochs=data.draw(st.floats(0.1, 10)),
        sources=data.draw(st.sampled_from([shares, "sizes"])),
    )
    caps = {name: math.floor(Fraction(str(wanted.max_epochs)) * tokens) for name, tokens in available.items()}
    room = sum(caps.values())
    if wanted.budget_tokens > room:
        with pytest.raises(MixtureError, match=f"{wanted.budget_tokens - room:,} tokens are missing"):
            solve(available, wanted)
        return
    found = solve(available, wanted)["sources"]
    assert sum(one["tokens"] for one in found.values()) == wanted.budget_tokens
    assert math.isclose(math.fsum(one["share"] for one in found.values()), 1, rel_tol=1e-12)
    assert all(0 <= one["tokens"] <= caps[name] for name, one in found.items())


@settings(max_examples=100, deadline=None)
@given(SIZES, st.data())
def test_sources_below_their_cap_keep_the_proportions_asked_for(available, data):
    raw = {name: data.draw(st.integers(1, 100)) for name in available}
    shares = {name: weight / sum(raw.values()) for name, weight in raw.items()}
    budget = data.draw(st.integers(1, 4 * sum(available.values())))
    found = solve(available, MixtureSettings(budget_tokens=budget, sources=shares))["sources"]
    free = [name for name, one in found.items() if one["tokens"] < 4 * available[name]]
    scale = {name: found[name]["tokens"] / shares[name] for name in free}
    for one in free:
        for other in free:
            assert abs(scale[one] - scale[other]) <= 1 / shares[one] + 1 / shares[other] + 1e-9 * scale[one]
    for name, one in found.items():
        if one["tokens"] >= 4 * available[name] and free:
            assert all(one["tokens"] <= shares[name] * scale[f] + shares[name] / shares[f] + 1 for f in free)


def test_excess_of_a_capped_source_goes_to_the_others_in_proportion():
    found = solve(
        {"web": 1000, "code": 1000, "wiki": 10},
        MixtureSettings(budget_tokens=840, sources={"web": 0.4, "code": 0.2, "wiki": 0.4}),
    )
    assert {name: one["tokens"] for name, one in found["sources"].items()} == {"web": 533, "code": 267, "wiki": 40}
    assert found["notes"] == ["wiki is capped at 4 epochs: 0.4 of the budget was asked for, it gives 0.04762"]


def test_one_cap_can_push_another_source_over_its_own():
    found = solve(
        {"a": 10, "b": 20, "c": 1000}, MixtureSettings(budget_tokens=200, sources={"a": 0.5, "b": 0.39, "c": 0.11})
    )
    assert {name: one["tokens"] for name, one in found["sources"].items()} == {"a": 40, "b": 80, "c": 80}
    assert [note.split()[0] for note in found["notes"]] == ["a"]  # b has more than it asked for


def test_no_settings_mean_one_epoch_of_everything():
    found = solve({"web": 900, "wiki": 100, "empty": 0}, MixtureSettings())
    assert found["budget_tokens"] == 1000
    assert {name: (one["share"], one["epochs"]) for name, one in found["sources"].items()} == {
        "web": (0.9, 1.0),
        "wiki": (0.1, 1.0),
    }


def test_impossible_budget_names_sources_and_shortfall():
    with pytest.raises(MixtureError, match=r"100 tokens are missing: 500 .* 400 \(web 400: 100 tokens at 4 epochs\)"):
        solve({"web": 100, "wiki": 7}, MixtureSettings(budget_tokens=500, sources={"web": 1.0}))


@pytest.mark.parametrize("available", [{"web": 5}, {"web": 5, "wiki": 0}], ids=["absent", "empty"])
def test_named_source_without_tokens_is_refused(available):
    with pytest.raises(MixtureError, match="'wiki' has no tokens"):
        solve(available, MixtureSettings(sources={"web": 0.5, "wiki": 0.5}))


def test_misspelt_source_gets_the_closest_name():
    with pytest.raises(MixtureError, match="'wikki' has no tokens .did you mean 'wiki'"):
        solve({"web": 5, "wiki": 5}, MixtureSettings(sources={"web": 0.5, "wikki": 0.5}))


def test_nothing_to_mix_is_refused():
    with pytest.raises(MixtureError, match="no source has tokens"):
        solve({"web": 0}, MixtureSettings())


def test_source_without_a_share_is_noted():
    found = solve({"web": 5, "wiki": 7}, MixtureSettings(sources={"web": 1.0}))
    assert list(found["sources"]) == ["web"]
    assert found["notes"] == ["wiki is not used: 7 tokens, no share names it"]


def test_result_is_plain_json():
    found = solve({"web": 5, "wiki": 7}, MixtureSettings(budget_tokens=12))
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sources": {"web": 0.5, "wiki": 0.4}}, "sum to 1, these sum to 0.9"),
        ({"sources": {"web": 67.0, "wiki": 33.0}}, "less than or equal to 1"),
        ({"sources": {"web": 1.0, "wiki": 0.0}}, "greater than 0"),
        ({"sources": "size"}, "sizes"),
        ({"budget_tokens": 0}, "greater than or equal to 1"),
        ({"max_epochs": -1}, "greater than 0"),
        ({"max_epoch": 4}, "Extra inputs"),
        ({"budget_tokens": "1e9"}, "valid integer"),
    ],
    ids=["sum", "percent", "zero share", "word", "no budget", "negative cap", "unknown", "text"],
)
def test_wrong_settings_are_refused(wrong, message):
    with pytest.raises(ValidationError, match=message):
        MixtureSettings(**wrong)
