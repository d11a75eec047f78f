"""How long is waited, for what, and when it is given up."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.errors import StoreError, UnavailableError
from curation.stores.access import Access
from curation.stores.retry import (
    DOUBTFUL,
    DOUBTFUL_TRIES,
    FINAL,
    LONGEST_PAUSE,
    PASSING,
    Setback,
    Tries,
    attempt,
    refusal,
    seconds_to_wait,
)

NOW = datetime(2024, 3, 1, 12, 0, tzinfo=UTC)


def failing(setback: Setback, access: Access, **kwargs) -> tuple[list[float], Exception]:
    """The waits until it is given up, and what was raised."""
    waits: list[float] = []
    tries = Tries("s3://b/x", access, sleep=waits.append, **kwargs)
    for _ in range(100):
        try:
            tries.failed(setback)
        except StoreError as error:
            return waits, error
    raise AssertionError("never gave up")


def test_waits_double_up_to_the_longest_and_then_it_gives_up():
    access = Access(tries=6, first_wait=1.0, longest_wait=5.0)
    waits, error = failing(Setback("503"), access, draw=lambda low, high: high)
    assert waits == [1.0, 2.0, 4.0, 5.0, 5.0]
    assert type(error) is UnavailableError
    assert "s3://b/x" in str(error) and "6 tries" in str(error)


@given(st.integers(1, 8), st.floats(0.01, 5), st.floats(0.01, 100))
def test_jitter_stays_between_half_and_all_of_the_step(tries, first, longest):
    access = Access(tries=tries, first_wait=first, longest_wait=longest)
    waits, _ = failing(Setback("503"), access)
    assert len(waits) == tries - 1
    for number, wait in enumerate(waits):
        step = min(longest, first * 2**number)
        assert step / 2 <= wait <= step


def test_workers_that_failed_together_do_not_come_back_together():
    firsts = {failing(Setback("503"), Access(tries=2))[0][0] for _ in range(50)}
    assert len(firsts) == 50


def test_what_the_server_asks_for_comes_before_the_jitter():
    waits, _ = failing(Setback("503", wait=30.0), Access(tries=3), draw=lambda low, high: low)
    assert waits == [30.5, 31.0]


@pytest.mark.parametrize(("wait", "gives_up"), [(LONGEST_PAUSE, False), (LONGEST_PAUSE + 1, True)])
def test_a_server_that_asks_for_too_long_is_given_up_at_once(wait, gives_up):
    waits, error = failing(Setback("503", wait=wait), Access(tries=2))
    assert (waits == []) == gives_up
    assert type(error) is UnavailableError


def test_long_waits_are_warnings_that_name_file_and_reason(caplog):
    failing(Setback("503 SlowDown"), Access(tries=7), draw=lambda low, high: high)
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        "s3://b/x: 503 SlowDown; tried 5 times, again in 16.0 seconds",
        "s3://b/x: 503 SlowDown; tried 6 times, again in 32.0 seconds",
    ]


@pytest.mark.parametrize("kind", [StoreError, UnavailableError])
def test_errors_come_through_from_workers(kind):
    there = pickle.loads(pickle.dumps(kind("s3://b/x: 503")))
    assert type(there) is kind and str(there) == "s3://b/x: 503" and isinstance(there, OSError)


def test_a_final_answer_is_not_asked_for_again():
    waits, error = failing(Setback("404", FINAL), Access())
    assert waits == [] and type(error) is StoreError


@pytest.mark.parametrize("tries", [1, DOUBTFUL_TRIES - 1, DOUBTFUL_TRIES, DOUBTFUL_TRIES + 1])
def test_a_doubtful_answer_is_asked_for_a_few_times(tries):
    waits, error = failing(Setback("403", DOUBTFUL), Access(tries=tries, first_wait=0))
    assert len(waits) == min(tries, DOUBTFUL_TRIES) - 1
    assert type(error) is StoreError


def test_getting_on_starts_the_count_again():
    waits: list[float] = []
    tries = Tries("x", Access(tries=3), sleep=waits.append, draw=lambda low, high: high)
    for _ in range(10):
        tries.failed(Setback("reset"))
        tries.failed(Setback("reset"))
        tries.worked()
    assert waits == [1.0, 2.0] * 10


def test_attempt_returns_the_first_good_answer():
    answers = iter([Setback("503"), Setback("reset"), 7])

    def act():
        answer = next(answers)
        if isinstance(answer, Setback):
            raise answer
        return answer

    assert attempt("x", act, Access(first_wait=0)) == 7


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (503, "", PASSING), (503, "SlowDown", PASSING), (429, "", PASSING), (500, "InternalError", PASSING),
        (502, "", PASSING), (504, "", PASSING), (408, "", PASSING), (400, "RequestTimeout", PASSING),
        (403, "AccessDenied", DOUBTFUL), (403, "", DOUBTFUL),
        (404, "NoSuchKey", FINAL), (401, "", FINAL), (400, "ExpiredToken", FINAL), (410, "", FINAL), (301, "", FINAL),
    ],
)  # fmt: skip
def test_kind_of_a_refusal(status, code, kind):
    assert refusal(status, code).kind == kind


@given(st.integers(0, 10**6))
def test_retry_after_in_seconds_and_as_a_date(seconds):
    assert seconds_to_wait(str(seconds)) == seconds
    assert seconds_to_wait(format_datetime(NOW + timedelta(seconds=seconds), usegmt=True), NOW) == seconds


@pytest.mark.parametrize("text", [None, "", "soon", "-5", "1.5e3x", "²", "Wed, 99 Foo"])
def test_a_retry_after_that_says_nothing(text):
    assert seconds_to_wait(text, NOW) is None


def test_a_date_that_is_over_means_now():
    assert seconds_to_wait("Fri, 01 Mar 2024 11:59:00 GMT", NOW) == 0.0
