"""Progress of long work: a bar on a terminal, plain lines in a log."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

LOG_EVERY_SECONDS = 10.0


class ShowProgress:
    """Callable as (step, done, total); use as a context manager around the work."""

    def __init__(self, console: Console):
        self._bars = Progress(
            SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            console=console, transient=True,
        )  # fmt: skip
        self._live = console.is_terminal
        self._console = console
        self._tasks: dict[str, int] = {}
        self._said: dict[str, tuple[int, float]] = {}

    def __enter__(self) -> ShowProgress:
        if self._live:
            self._bars.start()
        return self

    def __exit__(self, *failure) -> None:
        if self._live:
            self._bars.stop()

    def __call__(self, step: str, done: int, total: int) -> None:
        if self._live:
            if step not in self._tasks:
                self._tasks[step] = self._bars.add_task(step, total=total)
            self._bars.update(self._tasks[step], completed=done, total=total)
            return
        before, at = self._said.get(step, (-1, 0.0))
        now = time.monotonic()
        if done != before and (before < 0 or done == total or now - at >= LOG_EVERY_SECONDS):
            self._console.print(f"{time.strftime('%H:%M:%S')} {step}: {done} of {total}", highlight=False)
            self._said[step] = (done, now)
