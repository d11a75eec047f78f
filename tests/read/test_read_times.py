"""Times in whatever form sources write them: one form that sorts as they follow each other."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.read.times import iso_time

ZONES = st.builds(lambda minutes: timezone(timedelta(minutes=minutes)), st.integers(-14 * 60, 14 * 60))
TIMES = st.datetimes(datetime(1975, 1, 1), datetime(2100, 1, 1), timezones=ZONES)


@given(st.lists(TIMES, min_size=2, max_size=5))
def test_times_of_all_zones_sort_as_they_follow_each_other(times):
    for forms in (times, [one.isoformat() for one in times], [one.timestamp() for one in times]):
        texts = [iso_time(one, "microseconds") for one in forms]
        assert sorted(texts) == [iso_time(one, "microseconds") for one in sorted(times)]


@given(st.datetimes(datetime(1975, 1, 1), datetime(2100, 1, 1)))
def test_every_way_to_write_a_second_is_that_second(moment):
    moment = moment.replace(microsecond=0, tzinfo=UTC)
    told = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    seconds, compact = int(moment.timestamp()), moment.strftime("%Y%m%d%H%M%S")
    forms = [told, compact, int(compact), seconds, str(seconds), seconds * 1000, float(seconds), f"{moment:%F %T} UTC"]
    assert {iso_time(form) for form in forms} == {told}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, ""), ("", ""), (" ", ""), ("2024", "2024"), (2024, "2024"), ("2024-03", "2024-03"),
        ("20240301", "2024-03-01"), (20240301, "2024-03-01"), (date(2024, 3, 1), "2024-03-01"),
        ("2024-13", None), ("2024-02-30", None), ("last May", None), ("0000", None), (9, None), (-1, None),
        (True, None), (float("nan"), None), (float("inf"), None), (10**400, None), ([1], None), ("9" * 5000, None),
        (datetime(9999, 12, 31, 23, tzinfo=timezone(-timedelta(hours=5))), None),
    ],
)  # fmt: skip
def test_what_is_shorter_stays_shorter_and_what_is_no_time_is_none(value, told):
    assert iso_time(value) == told
