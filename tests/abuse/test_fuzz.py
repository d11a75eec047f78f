"""The fuzzers of tests/abuse/fuzz.py for a bounded time: CURATION_FUZZ_SECONDS each, 5 unless told otherwise.

Rounds come in order from number 0, so every run has met the first ones; docs/fuzzing.md tells of longer ones.
"""

from __future__ import annotations

import os

import pytest

from tests.abuse.fuzz import ROUND_CASES, TARGETS, fuzz

pytestmark = pytest.mark.abuse


@pytest.mark.parametrize("target", TARGETS)
def test_fuzz(target):
    told = fuzz(target, float(os.environ.get("CURATION_FUZZ_SECONDS", "5")))
    assert told["cases"] >= ROUND_CASES / 2, told
    print(f"{target}: {told}")
