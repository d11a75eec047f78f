"""Phases share their sources: caps hold over the whole run, and a refusal means that no division exists."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.optimize import linprog

from curation.errors import MixtureError
from curation.mixture import MixtureSettings, solve

NAMES = ["books", "code", "math", "web", "wiki"]


@st.composite
def requests(draw):
    """(available, settings) with small numbers, so that caps bind and refusals are common."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    available = {name: draw(st.integers(1, 40)) for name in names}
    phases = []
    for number in range(draw(st.integers(1, 3))):
        some = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
        raw = {name: draw(st.integers(1, 9)) for name in some}
        shares = {name: weight / sum(raw.values()) for name, weight in raw.items()}
        phases.append({"name": f"p{number}", "budget_tokens": draw(st.integers(1, 80)), "sources": shares})
    limits = {
        name: {"max_share": draw(st.sampled_from([0.1, 0.29, 0.5])), "max_epochs": draw(st.sampled_from([0.5, 2.3]))}
        for name in names
        if draw(st.booleans())
    }  # fmt: skip
    max_epochs = draw(st.sampled_from([0.3, 1.0, 2.0, 4.0]))
    return available, MixtureSettings(phases=phases, limits=limits, max_epochs=max_epochs)


def bounds(available, wanted):
    """By phase and source, and by source: the whole tokens that may be taken."""
    whole_run = {n: math.floor(Fraction(str(wanted.epochs_cap(n))) * t) for n, t in available.items()}
    in_phase = [
        {
            n: math.floor(Fraction(str(wanted.limits[n].max_share)) * p.budget_tokens)
            if n in wanted.limits
            else p.budget_tokens
            for n in p.sources
        }
        for p in wanted.phases
    ]
    return whole_run, in_phase


def most_tokens(available, wanted):
    """Oracle: the most tokens that all phases together can be given, by linear programming."""
    whole_run, in_phase = bounds(available, wanted)
    cells = [(p, n) for p, one in enumerate(in_phase) for n in one]
    rows = [[float(n == name) for _, n in cells] for name in whole_run]
    rows += [[float(p == number) for p, _ in cells] for number in range(len(in_phase))]
    limits = [*whole_run.values(), *(phase.budget_tokens for phase in wanted.phases)]
    found = linprog(
        -np.ones(len(cells)), A_ub=rows, b_ub=limits, bounds=[(0, in_phase[p][n]) for p, n in cells], method="highs"
    )
    return round(-found.fun)


@settings(max_examples=300, deadline=None)
@given(requests())
def test_phases_are_met_within_all_caps_or_no_division_exists(request_):
    available, wanted = request_
    whole_run, in_phase = bounds(available, wanted)
    budget = sum(phase.budget_tokens for phase in wanted.phases)
    best = most_tokens(available, wanted)
    if best < budget:
        with pytest.raises(MixtureError, match=f"{budget - best:,} tokens are missing in p") as caught:
            solve(available, wanted)
        # What is said must be a proof: these phases ask for so much, and that is all their sources can give them.
        said = str(caught.value)
        asked, given_ = re.search(r": ([\d,]+) are asked for, .* give ([\d,]+) ", said).group(1, 2)
        each = re.findall(r"[(;] ?\w+ ([\d,]+): ", said)
        asked, given_, *each = (int(number.replace(",", "")) for number in (asked, given_, *each))
        assert asked - given_ == budget - best
        assert given_ == sum(each)
        return
    found = solve(available, wanted)
    for phase, one, caps in zip(wanted.phases, found["phases"], in_phase, strict=True):
        assert sum(s["tokens"] for s in one["sources"].values()) == phase.budget_tokens
        assert math.isclose(math.fsum(s["share"] for s in one["sources"].values()), 1)
        assert all(0 <= s["tokens"] <= caps[name] for name, s in one["sources"].items())
    for name, source in found["sources"].items():
        assert source["tokens"] == sum(p["sources"].get(name, {"tokens": 0})["tokens"] for p in found["phases"])
        assert source["tokens"] <= whole_run[name]
        assert source["epochs"] == source["tokens"] / available[name]
    assert found["budget_tokens"] == budget


def test_only_what_is_missing_after_all_have_given_way_is_missing():
    """b alone is out of reach: the two others can be served, by a source each."""
    phases = [
        {"name": "a", "budget_tokens": 1, "sources": {"books": 0.2, "math": 0.2, "code": 0.6}},
        {"name": "b", "budget_tokens": 1, "sources": {"books": 1.0}},
        {"name": "c", "budget_tokens": 1, "sources": {"books": 0.5, "code": 0.5}},
    ]
    with pytest.raises(MixtureError, match="1 tokens are missing in b: 1 are asked for"):
        solve({"books": 1, "code": 4, "math": 4}, MixtureSettings(phases=phases, max_epochs=0.3))


def two_phases(**limits):
    return MixtureSettings(
        phases=[
            {"name": "main", "budget_tokens": 900, "sources": {"web": 0.9, "wiki": 0.1}},
            {"name": "anneal", "budget_tokens": 100, "sequence_length": 8192, "sources": {"web": 0.4, "wiki": 0.6}},
        ],
        limits=limits,
    )


def tokens_of(found):
    return [{name: one["tokens"] for name, one in phase["sources"].items()} for phase in found["phases"]]


def test_phases_within_all_caps_get_what_they_asked_for():
    found = solve({"web": 1000, "wiki": 100}, two_phases())
    assert tokens_of(found) == [{"web": 810, "wiki": 90}, {"web": 40, "wiki": 60}]
    assert found["notes"] == []
    assert [phase["sequence_length"] for phase in found["phases"]] == [None, 8192]
    assert found["sources"]["wiki"]["epochs"] == 1.5


def test_a_scarce_source_is_divided_in_proportion_to_what_the_phases_asked_for():
    found = solve({"web": 1000, "wiki": 25}, two_phases())  # 100 tokens for the 90 and 60 that are asked for
    assert tokens_of(found) == [{"web": 840, "wiki": 60}, {"web": 60, "wiki": 40}]
    assert found["sources"]["wiki"]["epochs"] == 4
    assert found["notes"] == [
        "wiki is capped at 4 epochs over all phases in main: 0.1 of the budget was asked for, it gives 0.06667",
        "wiki is capped at 4 epochs over all phases in anneal: 0.6 of the budget was asked for, it gives 0.4",
    ]


def test_a_phase_gives_way_to_one_that_cannot_be_served_otherwise():
    """The last phase would take of b what the first one needs; it has c instead."""
    settings_ = MixtureSettings(
        max_epochs=1,
        phases=[
            {"name": "early", "budget_tokens": 80, "sources": {"a": 0.5, "b": 0.5}},
            {"name": "late", "budget_tokens": 100, "sources": {"a": 0.5, "b": 0.25, "c": 0.25}},
        ],
    )
    early, late = tokens_of(solve({"a": 10, "b": 75, "c": 100}, settings_))
    assert early["a"] + early["b"] == 80
    assert early["b"] + late["b"] <= 75
    assert sum(late.values()) == 100


def test_a_share_cap_holds_in_each_phase_and_is_named():
    found = solve({"web": 1000, "wiki": 1000}, two_phases(wiki={"synthetic": True, "max_share": 0.2}))
    assert tokens_of(found) == [{"web": 810, "wiki": 90}, {"web": 80, "wiki": 20}]
    assert found["sources"]["wiki"]["synthetic"] is True
    assert found["notes"] == [
        "wiki is capped at a share of 0.2 in anneal: 0.6 of the budget was asked for, it gives 0.2"
    ]


@pytest.mark.parametrize(("asked", "gets"), [(0.19, 19), (0.2, 20), (0.21, 20)], ids=["below", "at", "above"])
def test_share_cap_at_its_bound(asked, gets):
    wanted = MixtureSettings(
        budget_tokens=100, sources={"web": 1 - asked, "stories": asked}, limits={"stories": {"max_share": 0.2}}
    )
    assert solve({"web": 100, "stories": 100}, wanted)["sources"]["stories"]["tokens"] == gets


@pytest.mark.parametrize(("held", "gets"), [(9, 18), (10, 20), (11, 20)], ids=["below", "at", "above"])
def test_epoch_cap_of_one_source_at_its_bound(held, gets):
    wanted = MixtureSettings(budget_tokens=100, sources={"web": 0.8, "wiki": 0.2}, limits={"wiki": {"max_epochs": 2.0}})
    assert solve({"web": 100, "wiki": held}, wanted)["sources"]["wiki"]["tokens"] == gets


def test_a_shortfall_names_phase_sources_and_what_each_could_give():
    with pytest.raises(MixtureError) as caught:
        solve({"web": 1000, "wiki": 5}, two_phases(web={"max_share": 0.5}))
    message = str(caught.value)
    assert "530 tokens are missing" not in message
    assert "480 tokens are missing in main and anneal: 1,000 are asked for" in message
    assert "web 500: at most 0.5 of the budget" in message
    assert "wiki 20: 5 tokens at 4 epochs" in message


def test_a_limit_on_a_source_without_tokens_is_refused():
    with pytest.raises(MixtureError, match="limits name 'wikki' .did you mean 'wiki'"):
        solve({"web": 10, "wiki": 1}, MixtureSettings(limits={"wikki": {"max_epochs": 1.0}}))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"limits": {"stories": {"synthetic": True}}}, "needs a max_share"),
        ({"limits": {"stories": {"max_share": 1.5}}}, "less than or equal to 1"),
        ({"temperature": 2.0, "sources": {"web": 1.0}}, "use it with sources: sizes"),
        ({"temperature": 0.5}, "greater than or equal to 1"),
        ({"phases": [{"name": "a", "budget_tokens": 5, "sources": {"web": 0.4}}]}, "sum to 1"),
        ({"phases": [{"name": "a", "budget_tokens": 5}], "sources": "unimax"}, "each phase has its own sources"),
        ({"phases": [{"name": "a", "budget_tokens": 5}], "budget_tokens": 6}, "its phases sum to 5"),
        ({"phases": [{"name": "a", "budget_tokens": 5}, {"name": "a", "budget_tokens": 5}]}, "names of their own"),
        ({"phases": [{"name": "a"}]}, "budget_tokens"),
    ],
)
def test_wrong_phases_and_limits_are_refused(wrong, message):
    with pytest.raises(ValidationError, match=message):
        MixtureSettings(**wrong)
