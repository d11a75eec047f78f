"""Patience with remote stores: which answers pass, how long to wait for them, and when to give up."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from curation.errors import StoreError, UnavailableError
from curation.stores.access import Access

_log = logging.getLogger(__name__)
Result = TypeVar("Result")

# PASSING: overload or a broken line, tried `Access.tries` times. FINAL: another try would get the same answer.
# DOUBTFUL: may be either. 403 is how CDNs turn away who is too fast and how stores refuse who has no right; a page
# instead of a file and other content than before can be one bad server of many.
PASSING, DOUBTFUL, FINAL = "passing", "doubtful", "final"
DOUBTFUL_TRIES = 5
NOTICED_PAUSE = 15.0  # seconds from which a wait is a warning in the log
LONGEST_PAUSE = 900.0  # seconds a server may ask for (Retry-After); who asks for more is given up

_PASSING_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504, 509})
_PASSING_CODES = frozenset(
    {"SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout", "Throttling", "ThrottlingException",
     "RequestLimitExceeded", "TooManyRequestsException", "OperationAborted"}
)  # fmt: skip


class Setback(Exception):
    """A request that did not do. `kind`: PASSING, DOUBTFUL or FINAL; `wait`: seconds that the server asked for."""

    def __init__(self, why: str, kind: str = PASSING, wait: float | None = None):
        super().__init__(why)
        self.why, self.kind, self.wait = why, kind, wait


class Tries:
    """The tries of one thing. `failed` waits before the next, or raises StoreError or UnavailableError.

    The wait after failure n is between half and all of min(longest_wait, first_wait * 2**(n-1)) seconds, so that
    workers that failed together do not come back together; what the server asked for (Retry-After) comes on top.
    """

    def __init__(
        self,
        what: str,
        access: Access,
        *,
        sleep: Callable[[float], None] = time.sleep,
        draw: Callable[[float, float], float] = random.uniform,
    ):
        self.what, self.failures = what, 0
        self._access, self._sleep, self._draw = access, sleep, draw

    def failed(self, setback: Setback) -> None:
        self.failures += 1
        tries = f"{self.failures} tries" if self.failures > 1 else "1 try"
        if setback.kind == FINAL:
            raise StoreError(f"{self.what}: {setback.why}")
        if setback.kind == DOUBTFUL and self.failures >= min(DOUBTFUL_TRIES, self._access.tries):
            raise StoreError(f"{self.what}: {setback.why} ({tries})")
        if self.failures >= self._access.tries:
            raise UnavailableError(f"{self.what}: {setback.why} ({tries}); the store may be down or overloaded")
        if (setback.wait or 0) > LONGEST_PAUSE:
            raise UnavailableError(
                f"{self.what}: {setback.why}; the server asks to wait for {setback.wait:.0f} seconds"
            )
        pause = self.pause(setback)
        level = logging.WARNING if pause >= NOTICED_PAUSE else logging.INFO
        _log.log(level, "%s: %s; tried %d times, again in %.1f seconds", self.what, setback.why, self.failures, pause)
        self._sleep(pause)

    def pause(self, setback: Setback) -> float:
        """Seconds to wait now."""
        step = min(self._access.longest_wait, self._access.first_wait * 2.0 ** (self.failures - 1))
        return (setback.wait or 0.0) + self._draw(step / 2, step)

    def worked(self) -> None:
        """The thing got on: failures count from the start again."""
        self.failures = 0


def attempt(what: str, act: Callable[[], Result], access: Access) -> Result:
    """`act()`, tried as often as `access` allows."""
    tries = Tries(what, access)
    while True:
        try:
            return act()
        except Setback as setback:
            tries.failed(setback)


def refusal(status: int, code: str = "", retry_after: str | None = None, hint: str = "") -> Setback:
    """The setback that an answer with this HTTP status (and error code of S3) is."""
    why = f"the server answers {status}{' ' + code if code else ''}"
    if status in (404, 410):
        why = f"there is no such file (the server answers {status})"
    if status in _PASSING_STATUS or code in _PASSING_CODES:
        kind = PASSING
    else:
        kind = DOUBTFUL if status == 403 else FINAL
    return Setback(why + (f"; {hint}" if hint and kind != PASSING else ""), kind, seconds_to_wait(retry_after))


def seconds_to_wait(retry_after: str | None, now: datetime | None = None) -> float | None:
    """The value of a Retry-After header: seconds, or a date (RFC 9110, 10.2.3). None where it is neither.

    >>> seconds_to_wait("120"), seconds_to_wait("soon")
    (120.0, None)
    """
    text = (retry_after or "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - (now or datetime.now(UTC))).total_seconds())
