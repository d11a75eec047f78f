"""Candidates are feasible, spread around the prior, different, and the same for a seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.errors import MixtureError
from curation.mixture.propose import SMALLEST, propose

PRIOR = {"books": 0.05, "code": 0.15, "web": 0.75, "wiki": 0.05}
FREE = dict.fromkeys(PRIOR, 1.0)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_candidate_sums_to_one_within_the_caps(data):
    names = data.draw(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=8, unique=True))
    prior = {name: data.draw(st.integers(1, 1000)) for name in names}
    prior = {name: weight / sum(prior.values()) for name, weight in prior.items()}
    caps = {name: data.draw(st.floats(0.01, 1)) for name in names}
    if sum(caps.values()) < 1.01:
        return
    found = propose(prior, caps, 12, data.draw(st.integers(0, 99)))
    assert len({tuple(one.values()) for one in found}) == 12
    for one in found:
        assert list(one) == sorted(names)
        assert round(sum(one.values()), 9) == 1
        assert all(0 <= share <= caps[name] + 1e-12 for name, share in one.items())


def test_a_seed_gives_the_same_candidates_and_another_seed_others():
    assert propose(PRIOR, FREE, 20, seed=3) == propose(PRIOR, FREE, 20, seed=3)
    assert propose(PRIOR, FREE, 20, seed=3)[1:] != propose(PRIOR, FREE, 20, seed=4)[1:]


def test_the_first_candidate_is_the_prior_within_the_caps():
    assert propose(PRIOR, FREE, 1, seed=0) == [PRIOR]
    capped = propose(PRIOR, {**FREE, "web": 0.5}, 1, seed=0)[0]
    assert capped == {"books": 0.1, "code": 0.3, "web": 0.5, "wiki": 0.1}


def test_candidates_average_to_the_softened_prior_and_reach_far_from_it():
    """The mean of a Dirichlet distribution is its centre: square roots of the prior, normalised."""
    near = propose(PRIOR, FREE, 3000, seed=0, strengths=(5.0, 5.0))[1:]
    centre = np.sqrt(list(PRIOR.values()))
    assert np.mean([list(one.values()) for one in near], axis=0) == pytest.approx(centre / centre.sum(), abs=0.02)
    drawn = np.array([list(one.values()) for one in propose(PRIOR, FREE, 1000, seed=0)[1:]])
    assert (drawn.max(axis=0) > 0.95).all()
    assert (drawn.min(axis=0) == 0).all()
    assert drawn[drawn > 0].min() >= SMALLEST * 0.999


@pytest.mark.parametrize(
    ("caps", "sentence"), [(0.24, "leave room for 0.96"), (0.25, "only 1 different mixtures of 2")]
)
def test_caps_without_room_are_refused(caps, sentence):
    with pytest.raises(MixtureError, match=sentence):
        propose(PRIOR, dict.fromkeys(PRIOR, caps), 2, seed=0)
