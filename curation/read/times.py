"""Times as sources write them, in the one form of the column `date`: ISO 8601 in UTC, so that they sort as texts."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Any

_DAY = re.compile(r"(\d{4})(?:-?([01]\d)-?([0-3]\d)|-([01]\d))?")
_COMPACT = re.compile(r"(?:19|2[01])\d{12}")  # YYYYMMDDhhmmss, as crawls stamp their captures
_ZONE_NAME = re.compile(r" ?(?:UTC|GMT)\Z")
_MILLISECONDS = 10**11  # seconds since 1970 above this are milliseconds: as seconds they are the year 5138


def iso_time(value: Any, timespec: str = "seconds") -> str | None:
    """The time in UTC, to the second unless `timespec` says otherwise; "" where there is none, None where it is none.

    A day, month or year stays as short as it is, so it sorts before every time in it. A time without a zone is taken
    for UTC. Numbers are years, days (20240301), YYYYMMDDhhmmss, or seconds or milliseconds since 1970.

    >>> iso_time("2024-03-01 01:30:00+02:00"), iso_time(1709251200), iso_time("20240301"), iso_time("March 2024")
    ('2024-02-29T23:30:00Z', '2024-03-01T00:00:00Z', '2024-03-01', None)
    """
    try:
        if isinstance(value, str):
            value = _of_text(value.strip())
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            value = _of_number(value)
        if isinstance(value, datetime):
            value = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
            return value.isoformat(timespec=timespec) + "Z"
        if isinstance(value, date):
            return value.isoformat()
    except (ValueError, OverflowError, OSError):  # no such month or hour, or a year that no calendar here knows
        return None
    return "" if value is None else value if isinstance(value, str) else None


def _of_text(text: str) -> datetime | str:
    if _COMPACT.fullmatch(text):
        return datetime.strptime(text, "%Y%m%d%H%M%S")
    day = _DAY.fullmatch(text)
    if day is None and text.isascii() and text.isdigit():
        return _of_number(int(text))
    if day is None:
        return datetime.fromisoformat(_ZONE_NAME.sub("+00:00", text)) if text else ""
    year, month, number, alone = day.groups()
    date(int(year), int(month or alone or 1), int(number or 1))
    return "-".join(part for part in (year, month or alone, number) if part)


def _of_number(number: float) -> datetime | str:
    if number == int(number) and (_DAY.fullmatch(str(int(number))) or _COMPACT.fullmatch(str(int(number)))):
        return _of_text(str(int(number)))
    if number < 10**8:  # before 1973, or no time at all
        raise ValueError(number)
    return datetime.fromtimestamp(number / 1000 if number >= _MILLISECONDS else number, UTC)
