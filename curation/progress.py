"""Progress of long work: a bar on a terminal, plain lines in a log."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

from rich import progress as bars
from rich.console import Console

LOG_EVERY_SECONDS = 10.0


class Progress(Protocol):
    """Told of every step of long work: parts done of all, and of page passes also pages and how many were dropped.

    `pages` and `dropped` count this start of the run only, as the time does.
    """

    def __call__(self, step: str, done: int, total: int, pages: int = 0, dropped: int = 0) -> None: ...


def silent(step: str, done: int, total: int, pages: int = 0, dropped: int = 0) -> None:
    """The progress of who does not want to see any."""


@dataclass
class _Step:
    """When a step was first heard of, and how much of it was done then (by an earlier start)."""

    started: float
    done_before: int
    said: float = float("-inf")
    done_said: int = -1


def describe_progress(seconds: float, done: int, left: int, pages: int, dropped: int) -> str:
    """Pages a second, share dropped and time left, as far as they can be known after `seconds` and `done` parts.

    >>> describe_progress(20.0, done=2, left=6, pages=400, dropped=300)
    '400 pages, 20/s, 75 % dropped, about 1 min left'
    >>> describe_progress(0.0, done=0, left=8, pages=0, dropped=0)
    ''
    """
    told = []
    if pages:
        rate = pages / max(seconds, 1e-9)
        told += [
            f"{pages:,} pages",
            f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s",
            f"{dropped / pages:.0%} dropped",
        ]
        told[-1] = told[-1].replace("%", " %")
    if done and left:
        told.append(f"about {spell(seconds * left / done)} left")
    return ", ".join(told)


def spell(seconds: float) -> str:
    """A duration as a person says it.

    >>> [spell(s) for s in (4, 59.6, 200, 7300, 200_000)]
    ['4 s', '1 min', '3 min', '2.0 h', '2.3 days']
    """
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 86_400 else f"{seconds / 86_400:.1f} days"


class ShowProgress:
    """A `Progress` that a person can read; use as a context manager around the work."""

    def __init__(self, console: Console):
        self._bars = bars.Progress(
            bars.SpinnerColumn(), bars.TextColumn("{task.description}"), bars.BarColumn(), bars.MofNCompleteColumn(),
            bars.TimeElapsedColumn(), bars.TextColumn("{task.fields[told]}"), console=console, transient=True,
        )  # fmt: skip
        self._live = console.is_terminal
        self._console = console
        self._tasks: dict[str, bars.TaskID] = {}
        self._steps: dict[str, _Step] = {}

    def __enter__(self) -> ShowProgress:
        if self._live:
            self._bars.start()
        return self

    def __exit__(self, *failure) -> None:
        if self._live:
            self._bars.stop()

    def __call__(self, step: str, done: int, total: int, pages: int = 0, dropped: int = 0) -> None:
        now = time.monotonic()
        known = self._steps.setdefault(step, _Step(now, done))
        told = describe_progress(now - known.started, done - known.done_before, total - done, pages, dropped)
        if self._live:
            if step not in self._tasks:
                self._tasks[step] = self._bars.add_task(step, total=total, told=told)
            self._bars.update(self._tasks[step], completed=done, total=total, told=told)
            return
        first, due = known.done_said < 0, now - known.said >= LOG_EVERY_SECONDS
        if done != known.done_said and (first or done == total or due):
            line = f"{time.strftime('%H:%M:%S')} {step}: {done} of {total}"
            self._console.print(f"{line}, {told}" if told else line, highlight=False)
            known.said, known.done_said = now, done
